//! The index of objects' texts, made beside requests.

use std::time::Duration;

use store::Store;
use tokio::time::{Instant, sleep};

/// How often a process looks for changed objects.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Pause after a failure.
const FAILURE_PAUSE: Duration = Duration::from_secs(5);
/// Pause after each step, in durations of the step: uploads and requests come first.
const PAUSE: u32 = 3;

/// Indexes texts until the process ends.
pub async fn run(store: Store) {
    loop {
        let begun = Instant::now();
        match store.index_texts().await {
            Ok(true) => sleep(begun.elapsed() * PAUSE).await,
            Ok(false) => sleep(POLL_INTERVAL).await,
            Err(error) => {
                tracing::warn!("error.chain" = error.chain(), "texts not indexed; tried again");
                sleep(FAILURE_PAUSE).await;
            }
        }
    }
}
