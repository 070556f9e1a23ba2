//! The size limit of a branch's uncommitted changes. A trigger enforces it.

use database::error::SqlError;
use domain::content::object::UNCOMMITTED_MAX_BYTES;
use domain::{Code, Error};
use serde_json::json;

/// The refusal of a change that exceeds the limit.
pub(crate) fn too_large() -> Error {
    let message = "The uncommitted changes of the branch would exceed their limit: commit or discard first.";
    Error::new(Code::BranchConflict, message).with_details(json!({ "limitBytes": UNCOMMITTED_MAX_BYTES }))
}

/// The failure of a statement that adds uncommitted changes.
pub(crate) fn failure(error: SqlError) -> Error {
    if error.violates_check("branches_uncommitted_bytes") {
        return too_large().with_source(error.into_source());
    }
    error.into()
}
