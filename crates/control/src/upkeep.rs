//! What the control plane does on its own, now and then.

use std::time::Duration;

use domain::Result;
use domain::time::Timestamp;
use link::{Link, Presence};
use store::Store;
use tokio::time::MissedTickBehavior;

/// How long events of sessions are kept, in seconds: 7 days.
const EVENTS_KEPT_SECS: i64 = 7 * 24 * 60 * 60;
/// The least age of a session that has lapsed, in seconds: a younger one may not be registered yet.
const LAPSED_AGE_SECS: i64 = 60 * 60;
/// Sessions that are looked at in one go.
const PAGE_ROWS: u32 = 100;

/// Does it at this interval until the process ends. Each replica does it; a second one finds nothing.
pub async fn run(store: Store, link: Link, interval: Duration) {
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let now = Timestamp::now();
        report("expired idempotency records were removed", store.forget_expired_outcomes(now).await);
        let before = now.plus_seconds(-EVENTS_KEPT_SECS);
        report("sessions have lost old events", store.forget_events(before).await);
        report("sessions have lapsed and were closed", close_lapsed(&store, &link, now).await);
    }
}

/// Closes the open sessions that no process remembers, which nobody can work with any more.
async fn close_lapsed(store: &Store, link: &Link, now: Timestamp) -> Result<usize> {
    let (mut closed, mut after) = (0, None);
    loop {
        let page = store.open_sessions(now.plus_seconds(-LAPSED_AGE_SECS), after, PAGE_ROWS).await?;
        for (session, presence) in page.iter().zip(link.presences(&page).await) {
            if presence == Presence::Lapsed && store.close_lapsed(*session, now).await? {
                link.announce_events(*session);
                closed += 1;
            }
        }
        match page.last() {
            Some(last) => after = Some(*last),
            None => return Ok(closed),
        }
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
