//! Removes blobs that no file of any project refers to: those of uploads that were refused or broke off after
//! their bytes were stored, those of deleted projects, and second copies of the same bytes. And uploads in pieces that
//! have expired or whose session was closed, with what has arrived of them.
//!
//! A blob is judged only when it is older than a grace period, which is far longer than an upload takes from
//! its last byte to the commit that refers to it. Several processes may sweep at a time.

use std::collections::HashMap;
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

/// The blobs of a bucket that nothing referred to when they were last looked at, and since when that is known. The age
/// that a bucket tells may count from the beginning of an upload, which is as long ago as its client was slow.
#[derive(Debug, Default)]
pub struct Suspects(HashMap<BlobKey, Timestamp>);

/// Sweeps for as long as it is polled: at once, then at every interval. A failed sweep is logged, and the next one
/// does what it left.
pub async fn run(blobs: Blobs, store: Store, settings: SweepSettings) {
    let mut ticks = tokio::time::interval(Duration::from_secs(settings.sweep_interval_secs.into()));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut suspects = Suspects::default();
    loop {
        ticks.tick().await;
        let grace_secs = settings.sweep_grace_secs.into();
        match sweep(&blobs, &store, &mut suspects, Timestamp::now(), grace_secs).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "swept blobs that nothing refers to"),
            Err(error) => {
                tracing::warn!(error = %error, cause = ?std::error::Error::source(&error), "a sweep failed")
            }
        }
    }
}

/// Removes what nothing refers to of all that was stored longer than `grace_secs` before `now`, and what dead writers left.
/// Returns how many blobs and half-written files were removed.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn sweep(
    blobs: &Blobs,
    store: &Store,
    suspects: &mut Suspects,
    now: Timestamp,
    grace_secs: i64,
) -> Result<u64> {
    let before = now.plus_seconds(-grace_secs);
    let mut removed = blobs.remove_abandoned().await?;
    removed += sweep_partial(blobs, store, before).await?;
    let mut still_suspect = HashMap::new();
    let mut pages = blobs.list_older(before).try_chunks(PAGE);
    while let Some(page) = pages.next().await {
        let keys: Vec<BlobKey> = page.map_err(|broken| broken.1)?;
        let names: Vec<String> = keys.iter().map(BlobKey::to_string).collect();
        let unreferenced = store.unreferenced_blobs(&names).await?;
        for key in unreferenced.iter().filter_map(|name| name.parse().ok()) {
            let since = suspects.0.get(&key).copied().unwrap_or(now);
            if blobs.tells_age() || since < before {
                blobs.delete(key).await?;
                removed += 1;
            } else {
                still_suspect.insert(key, since);
            }
        }
    }
    suspects.0 = still_suspect;
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
