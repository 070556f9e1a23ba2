//! Give up an upload in pieces. What one that is done has created stays.

use auth::actor::ProjectWrite;
use domain::{Error, Result};
use store::{Call, resumable};
use wire::{Head, NoQuery, Request};

use crate::app::{self, App};
use crate::blobs::BlobKey;
use crate::blobs::resumable::Checkpoint;
use crate::resumable::headers;
use crate::routes::resumable::{NoContent, UploadPath};

/// Forgets an upload with its bytes.
///
/// # Errors
/// `PRECONDITION_FAILED`, `NOT_FOUND`; `UPLOAD_IN_PROGRESS` where a piece is arriving.
pub async fn handle(app: App, request: Request<ProjectWrite, UploadPath>) -> Result<NoContent> {
    let Request { call, path, head, query: NoQuery {}, .. } = request;
    delete(&app, &call, &path, &head).await
}

/// As [`handle`].
///
/// # Errors
/// Those of [`handle`].
pub(super) async fn delete(
    app: &App,
    call: &Call<ProjectWrite>,
    path: &UploadPath,
    head: &Head,
) -> Result<NoContent> {
    headers::require_version(head)?;
    let grant = app::presented_grant(&call.actor)?;
    let at = path.target(grant)?;
    let record = app
        .store
        .mutate(call, &at, async |tx, upload| {
            resumable::delete(tx, upload).await?;
            Ok(upload.record.clone())
        })
        .await?;
    let checkpoint: Checkpoint = serde_json::from_value(record.checkpoint).map_err(Error::internal)?;
    let blob = BlobKey { project: grant.project, upload: record.id };
    if let Err(error) = app.blobs.discard(blob, &checkpoint).await {
        tracing::warn!(%blob, %error, "the pieces of an upload that was given up are left to the sweep");
    }
    Ok(NoContent::default())
}
