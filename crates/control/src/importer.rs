//! The work on imports, beside requests.

use std::sync::Arc;
use std::time::Duration;

use domain::time::Clock;
use store::Store;
use tokio::sync::Notify;
use tokio::time::timeout;

/// How often a process looks for an import that another one has left.
const POLL_INTERVAL: Duration = Duration::from_secs(5);

/// Works on imports until the process ends. `wake` tells of one that begins here.
pub async fn run(store: Store, clock: Clock, wake: Arc<Notify>) {
    loop {
        match store.advance_import(clock.now()).await {
            Ok(true) => {}
            Ok(false) => drop(timeout(POLL_INTERVAL, wake.notified()).await),
            Err(error) => {
                tracing::warn!("error.chain" = error.chain(), "an import waits; it goes on");
                tokio::time::sleep(POLL_INTERVAL).await;
            }
        }
    }
}
