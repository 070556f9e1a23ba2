//! Watches a grant during an upload, and ends the upload when the grant is revoked.

use std::time::Duration;

use auth::actor::ActorGrant;
use domain::{Code, Error};
use store::Store;
use tokio::time::Instant;

/// Interval of the checks of an upload's grant.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Longest time that an upload continues while its grant can't be checked.
const CHECK_PATIENCE: Duration = Duration::from_secs(5);

/// Returns when the grant's session is closed or its key revoked, or after [`CHECK_PATIENCE`] without a successful
/// check. Calls `alive` after each successful check.
pub async fn grant_end(store: &Store, grant: &ActorGrant, alive: impl AsyncFn()) -> Error {
    let mut last = Instant::now();
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        match store.check_grant(grant).await {
            Ok(()) => {
                last = Instant::now();
                alive().await;
            }
            Err(error) if error.code == Code::Unavailable && last.elapsed() < CHECK_PATIENCE => {}
            Err(error) => return error,
        }
    }
}
