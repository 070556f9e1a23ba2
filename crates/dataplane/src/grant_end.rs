//! Notices that a grant ends before its time, while what it allowed is under way.

use std::time::Duration;

use auth::actor::PresentedGrant;
use domain::{Code, Error};
use store::Store;
use tokio::time::Instant;

/// How often the grant of an upload that is under way is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How long an upload goes on while its grant can't be checked.
const CHECK_PATIENCE: Duration = Duration::from_secs(5);

/// Returns when the grant ends before its time, because its session was closed or its key revoked; or when that
/// could not be found out for a while. Calls `alive` each time that it has not.
pub async fn grant_end(store: &Store, grant: &PresentedGrant, alive: impl AsyncFn()) -> Error {
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
