//! Upload the next piece.

use api::content::uploads::resumable::AppendResumableUpload;
use auth::actor::ProjectWrite;
use domain::Result;
use store::{Call, ResumableUploadRef};
use wire::{OffsetBytes, Request, RequestHead};

use crate::app::{self, App};
use crate::resumable::destination::UploadPermission;
use crate::resumable::{self, Piece, headers};
use crate::routes::resumable::{NoContent, WithHeaders, complete_header, progress_headers, target};

/// Appends a piece.
///
/// # Errors
/// Those of [`append`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, AppendResumableUpload, OffsetBytes>,
) -> Result<WithHeaders<NoContent>> {
    let Request { call, path, body, head, .. } = request;
    let at = target(&path, app::presented_grant(&call.actor)?)?;
    append(&app, &call, &at, &head, body).await
}

/// Appends a piece to an upload, of any destination.
///
/// # Errors
/// `PRECONDITION_FAILED`, `INVALID_REQUEST`, `RATE_LIMITED`, `NOT_FOUND`; those of [`resumable::append`].
pub(in crate::routes) async fn append<P: UploadPermission>(
    app: &App,
    call: &Call<P>,
    at: &ResumableUploadRef,
    head: &RequestHead,
    body: OffsetBytes,
) -> Result<WithHeaders<NoContent>> {
    headers::require_version(head)?;
    let offset_bytes = headers::bytes(head, "Upload-Offset")?;
    let is_last = headers::is_last(head)?;
    let (checksum, length_bytes) = (headers::checksum(head)?, headers::late_length(head)?);
    let piece = Piece { body, checksum, length_bytes, is_last };
    let _slot = app.slots.take_for(&call.actor, app::presented_grant(&call.actor)?)?;
    let offset_bytes = resumable::append(app, call, at, offset_bytes, piece).await?;
    let expires_at = call.now.plus_seconds(app.bounds.resumable_expiry_secs.into());
    let mut headers = progress_headers(Some(offset_bytes), expires_at);
    headers.extend(complete_header(head, is_last));
    Ok(WithHeaders { answer: NoContent, headers })
}
