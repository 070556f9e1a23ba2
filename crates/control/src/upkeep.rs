//! What the control plane does on its own, now and then.

use std::time::Duration;

use domain::time::Timestamp;
use store::Store;

/// How often outcomes of idempotency keys are forgotten whose time is over. Each replica does it; a second one
/// finds nothing.
const INTERVAL: Duration = Duration::from_secs(60 * 60);

/// Runs until the process ends.
pub async fn run(store: Store) {
    let mut ticks = tokio::time::interval(INTERVAL);
    loop {
        ticks.tick().await;
        match store.forget_expired_outcomes(Timestamp::now()).await {
            Ok(0) => {}
            Ok(forgotten) => tracing::info!(forgotten, "expired idempotency records were removed"),
            Err(error) => {
                let cause: &dyn std::error::Error = &error;
                tracing::warn!(error = cause, "upkeep failed; it is tried again");
            }
        }
    }
}
