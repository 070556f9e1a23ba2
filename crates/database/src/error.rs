//! Failed statements, and what each means to a caller: a bug, an unavailable database, a conflict to try again, or
//! something that was deleted meanwhile. They are told apart by SQLSTATE ([`crate::sql_state`]).

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use domain::{Code, Error};
use uuid::Uuid;

use crate::sql_state;

/// A failed statement.
#[derive(Debug)]
pub struct SqlError(DieselError);

/// Result of a statement.
pub type SqlResult<T> = std::result::Result<T, SqlError>;

/// Conditions that are no fault of the statement, by SQLSTATE (appendix A of PostgreSQL's manual).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// 40001, 40P01: PostgreSQL chose the transaction as the victim of a conflict or a deadlock.
    Conflict,
    /// 55P03: no lock within `lock_timeout`.
    LockTimeout,
    /// 57014, 25P03: a statement or an idle transaction took too long.
    Timeout,
    /// 25006: the server takes no writes, as a standby or by its settings.
    ReadOnly,
    /// 25P02: a statement before has failed.
    Aborted,
    /// 40003 and classes 08, 53, 57, 58: connection, server or machine failed, maybe while committing.
    Lost,
}

impl SqlError {
    /// The connection's other end is silent: the connection is as good as closed.
    pub(crate) fn no_answer() -> Self {
        let message = Box::new("PostgreSQL has not answered in time".to_owned());
        Self(DieselError::DatabaseError(DatabaseErrorKind::ClosedConnection, message))
    }

    /// A statement came after the end of its transaction.
    pub(crate) fn ended() -> Self {
        Self(DieselError::QueryBuilderError("the transaction has ended".into()))
    }

    /// A row has other columns than its type.
    pub(crate) fn deserialization(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self(DieselError::DeserializationError(error))
    }

    /// A query that has to return a row returned none.
    pub(crate) fn not_found() -> Self {
        Self(DieselError::NotFound)
    }

    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self.0, DieselError::NotFound)
    }

    /// `true` if a row violates the unique constraint `name`.
    pub fn violates_unique(&self, name: &str) -> bool {
        self.violates(DatabaseErrorKind::UniqueViolation, name)
    }

    /// `true` if a row violates the check constraint `name`.
    pub fn violates_check(&self, name: &str) -> bool {
        self.violates(DatabaseErrorKind::CheckViolation, name)
    }

    /// `true` if a row violates the foreign key `name`.
    pub fn violates_foreign_key(&self, name: &str) -> bool {
        self.violates(DatabaseErrorKind::ForeignKeyViolation, name)
    }

    /// The id that a violated foreign key refers to, and that no row has.
    pub fn missing_key(&self) -> Option<Uuid> {
        let DieselError::DatabaseError(_, info) = &self.0 else { return None };
        // `Key (tag_id)=(…) is not present in table "card_tags".`, in any language.
        let (_, rest) = info.details()?.split_once(")=(")?;
        rest.split_once(')')?.0.parse().ok()
    }

    /// `true` if a row violates any foreign key.
    pub fn is_foreign_key_violation(&self) -> bool {
        matches!(self.0, DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _))
    }

    /// `true` if a lock was not granted within `lock_timeout`.
    pub fn is_lock_timeout(&self) -> bool {
        Condition::of(&self.0) == Some(Condition::LockTimeout)
    }

    /// `true` if the server takes no writes. Another connection may lead to one that does.
    pub(crate) fn is_read_only(&self) -> bool {
        Condition::of(&self.0) == Some(Condition::ReadOnly)
    }

    /// A copy of the failure, if a transaction can't go on after it. It lacks what tells a broken constraint's name.
    pub(crate) fn aborts(&self) -> Option<Self> {
        let DieselError::DatabaseError(kind, info) = &self.0 else { return None };
        let is_first = Condition::of(&self.0) != Some(Condition::Aborted);
        is_first.then(|| Self(DieselError::DatabaseError(*kind, Box::new(info.message().to_owned()))))
    }

    /// The failure of COMMIT. Without PostgreSQL's own answer, the transaction may have been committed.
    pub(crate) fn of_commit(self) -> Error {
        let is_lost = self.is_lost();
        let error = Error::from(self);
        if is_lost { error.outcome_unknown() } else { error }
    }

    /// `true` if PostgreSQL did not answer the statement: the connection broke, or is silent.
    pub(crate) fn is_lost(&self) -> bool {
        Condition::of(&self.0) == Some(Condition::Lost)
    }

    /// The error as a cause of another.
    pub fn into_source(self) -> DieselError {
        self.0
    }

    fn violates(&self, expected: DatabaseErrorKind, name: &str) -> bool {
        let DieselError::DatabaseError(kind, info) = &self.0 else { return false };
        std::mem::discriminant(kind) == std::mem::discriminant(&expected)
            && info.constraint_name() == Some(name)
    }
}

impl From<DieselError> for SqlError {
    fn from(error: DieselError) -> Self {
        Self(error)
    }
}

/// The failure of a statement that breaks no rule of its own.
impl From<SqlError> for Error {
    fn from(error: SqlError) -> Self {
        match Condition::of(&error.0) {
            None => {}
            Some(Condition::Aborted) => return Self::internal(error.0),
            Some(_) => return Self::unavailable(error.0),
        }
        if error.is_foreign_key_violation() {
            // What the request named was there when it was resolved, and was deleted since.
            return Self::not_found().with_source(error.0);
        }
        Self::internal(error.0)
    }
}

impl Condition {
    fn of(error: &DieselError) -> Option<Self> {
        match error {
            DieselError::BrokenTransactionManager
            | DieselError::DatabaseError(
                DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand,
                _,
            ) => Some(Self::Lost),
            DieselError::DatabaseError(_, info) => Self::of_state(sql_state::of_message(info.message())?),
            _ => None,
        }
    }

    fn of_state(state: &str) -> Option<Self> {
        match state {
            "40001" | "40P01" => Some(Self::Conflict),
            "55P03" => Some(Self::LockTimeout),
            "57014" | "25P03" => Some(Self::Timeout),
            "25006" => Some(Self::ReadOnly),
            "25P02" => Some(Self::Aborted),
            "40003" => Some(Self::Lost),
            _ => matches!(state.get(..2), Some("08" | "53" | "57" | "58")).then_some(Self::Lost),
        }
    }
}

/// `true` if the transaction may succeed when it runs again: PostgreSQL chose it as the victim of a conflict.
pub(crate) fn should_retry(error: &Error) -> bool {
    error.code == Code::Unavailable && condition(error) == Some(Condition::Conflict)
}

/// `true` if a statement failed because one before had.
pub(crate) fn follows_another(error: &Error) -> bool {
    condition(error) == Some(Condition::Aborted)
}

/// `true` if a transaction failed because a lock was not granted within `lock_timeout`.
pub fn waited_for_lock(error: &Error) -> bool {
    condition(error) == Some(Condition::LockTimeout)
}

fn condition(error: &Error) -> Option<Condition> {
    Condition::of(std::error::Error::source(error)?.downcast_ref::<DieselError>()?)
}
