//! The limit on the size of a branch's uncommitted changes. PostgreSQL enforces it, by a trigger on them.

use domain::object::UNCOMMITTED_MAX_BYTES;
use domain::{Code, Error};
use serde_json::json;

use crate::db::error::SqlError;

/// The refusal of a change that takes a branch over the limit.
pub(crate) fn too_large() -> Error {
    let message = "The branch would hold more that is uncommitted than it may: commit or discard first.";
    Error::new(Code::BranchConflict, message).with_details(json!({ "limitBytes": UNCOMMITTED_MAX_BYTES }))
}

/// The failure of a statement that adds uncommitted changes.
pub(crate) fn failure(error: SqlError) -> Error {
    if error.violates_check("branches_uncommitted_bytes") {
        return too_large().with_source(error.into_source());
    }
    error.into()
}
