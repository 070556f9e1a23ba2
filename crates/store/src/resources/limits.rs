//! Limits on the number of what one owner has: open sessions, branches and API keys. They are the deployment's.

use domain::{Error, Result};

/// Refuses one more where there are `limit` of a resource.
///
/// # Errors
/// `LIMIT_REACHED`.
pub(crate) fn refuse_over(resource: &str, limit: u32, current: i64) -> Result<()> {
    let current = u64::try_from(current).map_err(Error::internal)?;
    if current < limit.into() { Ok(()) } else { Err(Error::limit_reached(resource, limit.into(), current)) }
}
