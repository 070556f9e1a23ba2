//! Limits on what one owner has: open sessions, branches, API keys and stored bytes. Their numbers are the deployment's.

use domain::{Code, Error, Result};
use serde_json::json;

/// Refuses one more where there are `limit` of a resource.
///
/// # Errors
/// `LIMIT_REACHED`.
pub(crate) fn refuse_over(resource: &'static str, limit: u64, current: u64) -> Result<()> {
    if current < limit {
        return Ok(());
    }
    let message = format!("The limit of {resource} is reached. Remove some, or ask the operators for more.");
    let details = json!({ "resource": resource, "limit": limit, "current": current });
    Err(Error::new(Code::LimitReached, message).with_details(details))
}
