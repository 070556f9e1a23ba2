//! What the control plane does on its own, now and then.

use std::time::Duration;

use domain::Result;
use domain::time::Timestamp;
use store::Store;

/// How often it is done. Each replica does it; a second one finds nothing.
const INTERVAL: Duration = Duration::from_secs(60 * 60);
/// How long events of sessions are kept, in seconds: 7 days.
const EVENTS_KEPT_SECS: i64 = 7 * 24 * 60 * 60;

/// Runs until the process ends.
pub async fn run(store: Store) {
    let mut ticks = tokio::time::interval(INTERVAL);
    loop {
        ticks.tick().await;
        let now = Timestamp::now();
        report("expired idempotency records were removed", store.forget_expired_outcomes(now).await);
        let before = now.plus_seconds(-EVENTS_KEPT_SECS);
        report("sessions have lost old events", store.forget_events(before).await);
    }
}

fn report(what: &str, done: Result<usize>) {
    match done {
        Ok(0) => {}
        Ok(forgotten) => tracing::info!(forgotten, "{what}"),
        Err(error) => {
            tracing::warn!("error.chain" = error.chain(), "upkeep failed; it is tried again");
        }
    }
}
