//! Failed statements, and what each means to a caller: a bug, an unavailable database, a conflict to try again, or
//! something that was deleted meanwhile.
//!
//! diesel keeps PostgreSQL's SQLSTATE for eight kinds of errors and drops it for all others: `DatabaseErrorInformation`
//! has no method for it, and diesel-async's type with the original error is private. Those others are told apart by the
//! message in [`Condition::of`], and nowhere else.

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use domain::{Code, Error};
use uuid::Uuid;

/// A failed statement.
#[derive(Debug)]
pub struct SqlError(DieselError);

/// Result of a statement.
pub type SqlResult<T> = std::result::Result<T, SqlError>;

/// Conditions that diesel has no kind for, with their SQLSTATE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    /// 40P01: PostgreSQL chose the transaction as the victim of a deadlock.
    Deadlock,
    /// 55P03: no lock within `lock_timeout`.
    LockTimeout,
    /// 57014, 25P03: a statement or an idle transaction took too long.
    Timeout,
    /// 08000, 53000, 57P01 to 57P03: the server stops, starts, or is out of space or connections.
    Unavailable,
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
        // `Key (tag_id)=(…) is not present in table "card_tags".`
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

    /// The failure of COMMIT. Without PostgreSQL's own answer, the transaction may have been committed.
    pub(crate) fn of_commit(self) -> Error {
        let is_lost = self.is_lost();
        let error = Error::from(self);
        if is_lost { error.outcome_unknown() } else { error }
    }

    /// `true` if PostgreSQL did not answer the statement: the connection broke, or is silent.
    pub(crate) fn is_lost(&self) -> bool {
        matches!(
            self.0,
            DieselError::BrokenTransactionManager
                | DieselError::DatabaseError(
                    DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand,
                    _
                )
        ) || Condition::of(&self.0) == Some(Condition::Unavailable)
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
        if is_unavailable(&error.0) || Condition::of(&error.0).is_some() {
            return Self::unavailable(error.0);
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
        let DieselError::DatabaseError(DatabaseErrorKind::Unknown, info) = error else { return None };
        let message = info.message();
        let has_any = |signs: &[&str]| signs.iter().any(|sign| message.contains(sign));
        if has_any(&["deadlock detected"]) {
            Some(Self::Deadlock)
        } else if has_any(&["lock timeout"]) {
            Some(Self::LockTimeout)
        } else if has_any(&["timeout"]) {
            Some(Self::Timeout)
        } else if has_any(&[
            "connection",
            "terminating",
            "shutting down",
            "starting up",
            "recovery",
            "No space left",
            "error communicating",
        ]) {
            Some(Self::Unavailable)
        } else {
            None
        }
    }
}

/// `true` if the transaction may succeed when it runs again: PostgreSQL chose it as the victim of a conflict.
pub(crate) fn should_retry(error: &Error) -> bool {
    error.code == Code::Unavailable
        && cause(error).is_some_and(|cause| {
            is_serialization_failure(cause) || Condition::of(cause) == Some(Condition::Deadlock)
        })
}

/// `true` if a transaction failed because a lock was not granted within `lock_timeout`.
pub fn waited_for_lock(error: &Error) -> bool {
    cause(error).and_then(Condition::of) == Some(Condition::LockTimeout)
}

fn cause(error: &Error) -> Option<&DieselError> {
    std::error::Error::source(error)?.downcast_ref::<DieselError>()
}

fn is_unavailable(error: &DieselError) -> bool {
    matches!(
        error,
        DieselError::BrokenTransactionManager
            | DieselError::DatabaseError(
                DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand,
                _
            )
    ) || is_serialization_failure(error)
}

fn is_serialization_failure(error: &DieselError) -> bool {
    matches!(error, DieselError::DatabaseError(DatabaseErrorKind::SerializationFailure, _))
}
