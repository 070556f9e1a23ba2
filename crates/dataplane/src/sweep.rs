//! Removes blobs that no file of any project refers to: those of uploads that were refused or broke off after
//! their bytes were stored, those of deleted projects, and second copies of the same bytes. And uploads in pieces that
//! have expired or whose session was closed, with what has arrived of them.
//!
//! A blob is judged only when it is older than a grace period, which is far longer than an upload takes from
//! its last byte to the commit that refers to it. Several processes may sweep at a time.

use std::time::Duration;

use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::{StreamExt, TryStreamExt};
use store::Store;
use tokio::time::MissedTickBehavior;

use crate::blobs::{BlobKey, Blobs};
use crate::settings::SweepSettings;

/// How many blobs are looked up in the database at a time.
const PAGE: usize = 500;

/// How many uploads are given up at a time.
const PAGE_ROWS: u32 = 100;

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
    removed += sweep_partial(blobs, store, before).await?;
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

/// Gives up uploads in pieces, and removes what lies in the store of those that nobody knows any more.
async fn sweep_partial(blobs: &Blobs, store: &Store, before: Timestamp) -> Result<u64> {
    let mut removed = 0;
    loop {
        let abandoned = store.take_abandoned_uploads(PAGE_ROWS).await?;
        for upload in &abandoned {
            let key = BlobKey { project: upload.project, upload: upload.upload };
            let checkpoint = serde_json::from_value(upload.checkpoint.clone()).map_err(Error::internal)?;
            blobs.discard(key, &checkpoint).await?;
            removed += 1;
        }
        if abandoned.is_empty() {
            break;
        }
    }
    let mut pages = blobs.list_partial_older(before).try_chunks(PAGE);
    while let Some(page) = pages.next().await {
        let page = page.map_err(|broken| broken.1)?;
        for upload in store.unknown_uploads(&page).await? {
            blobs.discard_unknown(upload).await?;
            removed += 1;
        }
    }
    Ok(removed)
}
