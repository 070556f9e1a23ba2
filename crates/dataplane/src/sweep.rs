//! Removes unreferenced blobs: those of refused or interrupted uploads, of deleted projects, and duplicate copies. Also
//! removes resumable uploads that expired or whose session was closed, with their bytes, and previews at which nobody looks.
//!
//! A blob is judged only after a grace period, which is far longer than an upload takes from its last byte to the commit
//! that refers to it. Several processes may sweep concurrently.

use std::collections::HashMap;
use std::time::Duration;

use domain::time::{Clock, Timestamp};
use domain::{Error, Result};
use futures_util::{StreamExt, TryStreamExt};
use store::Store;
use tokio::time::MissedTickBehavior;
use wire::Bounds;

use crate::blobs::{BlobKey, Blobs};

/// Blobs looked up in the database per query.
const PAGE: usize = 500;

/// Resumable uploads removed per query.
const PAGE_ROWS: u32 = 100;

/// Time after which a preview is dropped at which nobody has looked, in seconds: a month.
const PREVIEW_UNUSED_SECS: i64 = 30 * 24 * 3_600;

/// Unreferenced blobs of a bucket, each with the time of the sweep that found it first. A bucket may measure a blob's age
/// from the start of its upload, which is no lower bound for a slow client.
#[derive(Debug, Default)]
pub struct Suspects(HashMap<BlobKey, Timestamp>);

/// Sweeps now and at every interval, forever. Logs a failed sweep; the next one continues.
pub async fn run(blobs: Blobs, store: Store, clock: Clock, bounds: Bounds, preview_bytes: u64) {
    let mut ticks = tokio::time::interval(Duration::from_secs(bounds.sweep_interval_secs.into()));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut suspects = Suspects::default();
    loop {
        ticks.tick().await;
        drop_previews(&store, clock.now(), preview_bytes).await;
        let grace_secs = bounds.sweep_grace_secs.into();
        match sweep(&blobs, &store, &mut suspects, clock.now(), grace_secs).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "unreferenced blobs removed"),
            Err(error) => {
                tracing::warn!(%error, cause = ?std::error::Error::source(&error), "sweep failed")
            }
        }
    }
}

/// Drops the previews at which nobody looks, and those for which there is no space. Their blobs are unreferenced then.
async fn drop_previews(store: &Store, now: Timestamp, bytes_max: u64) {
    match store.drop_previews(now.plus_seconds(-PREVIEW_UNUSED_SECS), bytes_max).await {
        Ok(0) => {}
        Ok(dropped) => tracing::info!(dropped, "previews dropped"),
        Err(error) => tracing::warn!("error.chain" = error.chain(), "previews not dropped"),
    }
}

/// Removes unreferenced blobs stored more than `grace_secs` before `now`, and half-written files of dead writers. Returns
/// the number of removed blobs and files.
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

/// Removes abandoned resumable uploads, and stored pieces of uploads that the database does not know.
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
