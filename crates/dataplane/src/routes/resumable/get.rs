//! Read the progress of an upload in pieces, and its objects.

use actix_web::http::header::HeaderName;
use auth::actor::ProjectWrite;
use domain::Result;
use domain::upload::UploadStatus;
use wire::{NoQuery, Reply, Request};

use crate::app::{self, App};
use crate::resumable::{finish, headers};
use crate::routes::resumable::{UploadAnswer, UploadPath, WithHeaders, progress_headers};

/// Reads an upload. An interrupted upload of which all bytes have arrived is finished first: a client that sees no
/// missing bytes sends nothing more.
///
/// # Errors
/// `PRECONDITION_FAILED` only for HEAD, since the protocol has no GET; `NOT_FOUND`; those of attaching.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UploadPath>,
) -> Result<WithHeaders<Reply<UploadAnswer>>> {
    let Request { call, path, head, query: NoQuery {}, .. } = request;
    if head.is_head() {
        headers::require_version(&head)?;
    }
    let at = path.target(app::presented_grant(&call.actor)?)?;
    let look = async || app.store.read(&call, &at, async |_, upload| Ok(upload.record.clone())).await;
    let mut record = look().await?;
    if record.status() == UploadStatus::Converting && !record.is_written {
        finish(&app, &call, &at, record.length_bytes).await?;
        record = look().await?;
    }
    let mut headers = progress_headers(record.offset_bytes, record.expires_at);
    headers.push((HeaderName::from_static("upload-length"), record.length_bytes.to_string()));
    if !record.metadata.is_empty() {
        headers.push((HeaderName::from_static("upload-metadata"), record.metadata.clone()));
    }
    Ok(WithHeaders { answer: Reply::ok(UploadAnswer::from(&record)), headers })
}
