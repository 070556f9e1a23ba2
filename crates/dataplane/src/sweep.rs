//! Removes blobs that no file of any project refers to: those of uploads that were refused or broke off after
//! their bytes were stored, those of deleted projects, and second copies of the same bytes.
//!
//! A blob is judged only when it is older than a grace period, which is far longer than an upload takes from
//! its last byte to the commit that refers to it. Several processes may sweep at a time.

use std::time::Duration;

use domain::Result;
use domain::time::Timestamp;
use futures_util::{StreamExt, TryStreamExt};
use store::Store;
use tokio::time::MissedTickBehavior;

use crate::blobs::{BlobKey, Blobs};
use crate::settings::SweepSettings;

/// How many blobs are looked up in the database at a time.
const PAGE: usize = 500;

/// Sweeps for as long as it is polled: at once, then at every interval. A failed sweep is logged, and the next one
/// does what it left.
pub async fn run(blobs: Blobs, store: Store, settings: SweepSettings) {
    let mut ticks = tokio::time::interval(Duration::from_secs(settings.sweep_interval_secs.into()));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let before = Timestamp::now().plus_seconds(-i64::from(settings.sweep_grace_secs));
        match sweep(&blobs, &store, before).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "swept blobs that nothing refers to"),
            Err(error) => {
                tracing::warn!(error = %error, cause = ?std::error::Error::source(&error), "a sweep failed")
            }
        }
    }
}

/// Removes what nothing refers to of all that was stored before `before`, and what dead writers left. Returns how
/// many blobs and half-written files were removed.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn sweep(blobs: &Blobs, store: &Store, before: Timestamp) -> Result<u64> {
    let mut removed = blobs.remove_abandoned().await?;
    let mut pages = blobs.list_older(before).try_chunks(PAGE);
    while let Some(page) = pages.next().await {
        let keys: Vec<BlobKey> = page.map_err(|broken| broken.1)?;
        let names: Vec<String> = keys.iter().map(BlobKey::to_string).collect();
        for name in store.unreferenced_blobs(&names).await? {
            if let Ok(key) = name.parse() {
                blobs.delete(key).await?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}
