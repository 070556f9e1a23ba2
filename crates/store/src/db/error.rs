//! What a failed statement means to a caller: a bug, an unavailable database, a conflict to try again, or something
//! that was deleted meanwhile.

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use domain::object::UNCOMMITTED_MAX_BYTES;
use domain::{Code, Error};
use serde_json::json;

/// The failure of a statement that has no rule of its own to break. Each one that adds to working changes can make a branch
/// hold too much.
pub(crate) fn failure(error: DieselError) -> Error {
    if is_unavailable(&error) || is_retryable(&error) || is_timeout(&error) {
        return Error::unavailable(error);
    }
    if matches!(error, DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _)) {
        // What the request named was there when it was resolved, and was deleted since.
        return Error::not_found().with_source(error);
    }
    if breaks(&error, "branches_uncommitted_bytes") {
        return uncommitted_too_large().with_source(error);
    }
    Error::internal(error)
}

/// The refusal of a change after which a branch would hold more that is uncommitted than it may.
pub(crate) fn uncommitted_too_large() -> Error {
    let message = "The branch would hold more that is uncommitted than it may: commit or discard first.";
    Error::new(Code::BranchConflict, message).with_details(json!({ "limitBytes": UNCOMMITTED_MAX_BYTES }))
}

/// A failure of a unique constraint called `name`, which the caller turns into its own error.
pub(crate) fn violates(error: &DieselError, name: &str) -> bool {
    matches!(error, DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, info)
        if info.constraint_name() == Some(name))
}

/// A failure of a rule called `name` on what a row may hold.
fn breaks(error: &DieselError, name: &str) -> bool {
    matches!(error, DieselError::DatabaseError(DatabaseErrorKind::CheckViolation, info)
        if info.constraint_name() == Some(name))
}

/// A failure of a foreign key called `name`: what a row would refer to has gone meanwhile.
pub(crate) fn refers_to_nothing(error: &DieselError, name: &str) -> bool {
    matches!(error, DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, info)
        if info.constraint_name() == Some(name))
}

/// Whether a lock was not had within the connection's `lock_timeout`.
pub(crate) fn is_lock_timeout(error: &DieselError) -> bool {
    message_of(error).is_some_and(|message| message.contains("lock timeout"))
}

/// Whether the same transaction, run again, may succeed: PostgreSQL chose it as the victim of a conflict.
pub(crate) fn should_retry(error: &Error) -> bool {
    error.code == Code::Unavailable && cause(error).is_some_and(is_retryable)
}

/// Whether the connection was lost on which the work was done.
pub(crate) fn is_lost(error: &Error) -> bool {
    matches!(cause(error), Some(DieselError::DatabaseError(DatabaseErrorKind::ClosedConnection, _)))
}

fn cause(error: &Error) -> Option<&DieselError> {
    std::error::Error::source(error)?.downcast_ref()
}

fn is_retryable(error: &DieselError) -> bool {
    matches!(error, DieselError::DatabaseError(DatabaseErrorKind::SerializationFailure, _))
        || message_of(error).is_some_and(|message| message.contains("deadlock detected"))
}

fn is_timeout(error: &DieselError) -> bool {
    message_of(error).is_some_and(|message| message.contains("timeout"))
}

fn is_unavailable(error: &DieselError) -> bool {
    match error {
        DieselError::BrokenTransactionManager => true,
        DieselError::DatabaseError(
            DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand,
            _,
        ) => true,
        // What a server says that is stopping, starting or out of space or connections; diesel has no kind for it.
        DieselError::DatabaseError(DatabaseErrorKind::Unknown, info) => {
            let message = info.message();
            [
                "connection",
                "terminating",
                "shutting down",
                "starting up",
                "recovery",
                "No space left",
                "error communicating",
            ]
            .iter()
            .any(|sign| message.contains(sign))
        }
        _ => false,
    }
}

fn message_of(error: &DieselError) -> Option<&str> {
    match error {
        DieselError::DatabaseError(_, info) => Some(info.message()),
        _ => None,
    }
}
