//! Converts files later whose upload found no place for their conversion. Each is in the tree, and says that it is pending.
//!
//! Any process takes such a file under a lease, so that a file outlives the process that received it, and no two processes
//! write its objects. Here it waits for its place like the file of an upload.

use std::convert::Infallible;
use std::time::Duration;

use domain::content::object::{Extension, FileRef};
use domain::content::upload::NewFile;
use domain::id::{ObjectId, UploadId};
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::future::join_all;
use import::ConversionFailureCode;
use store::content::deferred::{ConvertedFile, DeferredConversion};
use tokio::time::sleep;

use crate::app::App;
use crate::attach;
use crate::convert::{ConversionResult, Source};
use crate::preview;

/// Pause without a file to convert.
const IDLE: Duration = Duration::from_secs(5);
/// Time between two renewals of a lease.
const RENEWAL: Duration = Duration::from_secs(20);
/// Most processes that try to convert a file. The others may have died of it.
const ATTEMPTS_MAX: i32 = 3;

/// Converts deferred files, forever.
pub async fn run(app: App) {
    let works = (0..app.converter.at_once()).map(|_| convert_all(&app));
    join_all(works).await;
}

async fn convert_all(app: &App) -> Infallible {
    loop {
        let salt = UploadId::new(app.clock.now()).0;
        match app.store.take_deferred_conversion(salt).await {
            Ok(Some(taken)) => {
                if let Err(error) = convert_one(app, &taken).await {
                    tracing::warn!(
                        object.id = %taken.object,
                        "error.chain" = error.chain(),
                        "deferred conversion failed; tried again when its lease expires"
                    );
                }
            }
            Ok(None) => sleep(IDLE).await,
            Err(error) => {
                tracing::warn!("error.chain" = error.chain(), "deferred conversions not read");
                sleep(IDLE).await;
            }
        }
    }
}

async fn convert_one(app: &App, taken: &DeferredConversion) -> Result<()> {
    let now = app.clock.now();
    let converted = tokio::select! {
        converted = convert(app, taken, now) => converted?,
        () = lost(app, taken) => return Ok(()),
    };
    if converted.is_deferred {
        return app.store.give_back_deferred_conversion(taken).await;
    }
    match finish(app, taken, converted, now).await {
        Err(error) if !error.is_server_fault() => {
            tracing::info!(object.id = %taken.object, "error.chain" = error.chain(), "deferred conversion refused");
            let refused =
                ConversionResult::unconverted(&taken.name, ConversionFailureCode::ConversionTooLarge);
            finish(app, taken, refused, now).await
        }
        finished => finished,
    }
}

async fn convert(app: &App, taken: &DeferredConversion, now: Timestamp) -> Result<ConversionResult> {
    if taken.attempts > ATTEMPTS_MAX {
        return Ok(ConversionResult::unconverted(&taken.name, ConversionFailureCode::ConversionCrashed));
    }
    let blob = taken.blob_key.parse().map_err(Error::internal)?;
    let source =
        Source { blob, size_bytes: taken.size_bytes, user: taken.user, name: &taken.name, head: None };
    app.converter.convert(&app.blobs, source, now).await
}

/// Renews the lease until it is lost.
async fn lost(app: &App, taken: &DeferredConversion) {
    loop {
        sleep(RENEWAL).await;
        match app.store.renew_deferred_conversion(taken).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                tracing::warn!("error.chain" = error.chain(), "lease of a deferred conversion not renewed");
            }
        }
    }
}

/// Writes the objects of a converted file, announces them, and removes blobs that nothing refers to.
async fn finish(
    app: &App,
    taken: &DeferredConversion,
    converted: ConversionResult,
    now: Timestamp,
) -> Result<()> {
    let owned = FileRef {
        sha256: taken.sha256,
        size: taken.size_bytes,
        mime_type: converted.media_type.clone(),
        extension: Extension::of_file_name(taken.name.as_str()),
        name: Some(taken.name.clone()),
    };
    let mut others: Vec<ObjectId> = converted.drafts.iter().skip(1).map(|_| ObjectId::new(now)).collect();
    others.sort_unstable();
    let ids: Vec<ObjectId> = std::iter::once(taken.object).chain(others).collect();
    // The place of the root stays what it is.
    let (objects, files) = attach::objects(converted, &ids, owned, taken.project.into())?;
    let stored = NewFile { sha256: taken.sha256, size: taken.size_bytes, blob_key: taken.blob_key.clone() };
    let shown = match objects.first() {
        Some(owner) => preview::preview_file(taken.project, taken.user, owner, &[stored])?,
        None => None,
    };
    let converted = ConvertedFile { objects, files };
    let finished = app.store.finish_deferred_conversion(taken, &converted, now).await?;
    if let Some(session) = finished.told {
        app.link.announce_events(session);
    }
    app.blobs.remove_unneeded(&finished.unneeded_blobs).await;
    shown.into_iter().for_each(|shown| app.previews.begin_after_upload(shown));
    Ok(())
}
