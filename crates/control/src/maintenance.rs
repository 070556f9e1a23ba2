//! Periodic maintenance.

use std::time::Duration;

use domain::Result;
use domain::time::Timestamp;
use link::{Link, Presence};
use store::Store;
use tokio::time::MissedTickBehavior;

use crate::app::App;

/// How long events of sessions, teams and projects are kept, in seconds: 7 days.
const EVENTS_KEPT_SECS: i64 = 7 * 24 * 60 * 60;
/// Least age of a session that is closed as lapsed, in seconds. A younger one may not be registered yet.
const LAPSED_AGE_SECS: i64 = 60 * 60;
/// A day, in seconds.
const DAY_SECS: i64 = 24 * 60 * 60;
/// Sessions per query.
const PAGE_ROWS: u32 = 100;

/// Runs every `interval` until the process ends. Every replica runs it; a second run finds nothing to do.
pub async fn run(App { store, link, clock, audit_days, .. }: App, interval: Duration) {
    let mut ticks = tokio::time::interval(interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let now = clock.now();
        report("expired idempotency records removed", store.delete_expired_outcomes(now).await);
        report("expired tokens removed", store.delete_expired_tokens(now).await);
        report("kept addresses released", store.delete_kept_addresses(now).await);
        report("old changes of access removed", store.delete_old_access_changes().await);
        report("old counts of mails removed", store.delete_counted_mails(now).await);
        let before = now.plus_seconds(-EVENTS_KEPT_SECS);
        report("old events removed", store.delete_events_before(before).await);
        report("old change events removed", store.delete_change_events_before(before).await);
        let before = now.plus_seconds(-i64::from(audit_days) * DAY_SECS);
        report("old audit entries removed", store.delete_audit_entries_before(before).await);
        report("texts of cards folded again", all(async || store.refold_cards(now).await).await);
        report("names of projects folded again", all(async || store.refold_projects(now).await).await);
        report("projects given keys", all(async || store.choose_project_keys(now).await).await);
        report("cards numbered", all(async || store.number_cards().await).await);
        report("lapsed sessions closed", close_lapsed(&store, &link, now).await);
    }
}

/// The sum of the work of batches in a transaction each, until one finds nothing to do.
async fn all(next_batch: impl AsyncFn() -> Result<usize>) -> Result<usize> {
    let mut done = 0;
    loop {
        match next_batch().await? {
            0 => return Ok(done),
            count => done += count,
        }
    }
}

/// Closes the open sessions that the registry has forgotten. No process can host them any more.
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

fn report(task: &str, count: Result<usize>) {
    match count {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, "{task}"),
        Err(error) => {
            tracing::warn!("error.chain" = error.chain(), "maintenance failed; it is retried");
        }
    }
}
