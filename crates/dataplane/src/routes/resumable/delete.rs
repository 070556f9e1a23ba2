//! Cancel an upload in pieces. What a finished one became stays.

use api::content::uploads::resumable::DeleteResumableUpload;
use auth::actor::ProjectWrite;
use domain::Result;
use store::{Call, ResumableUploadRef};
use wire::{Request, RequestHead};

use crate::app::{self, App};
use crate::resumable::destination::UploadPermission;
use crate::resumable::{self, headers};
use crate::routes::resumable::{NoContent, WithHeaders, target};

/// Removes an upload with its bytes.
///
/// # Errors
/// Those of [`delete`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, DeleteResumableUpload>,
) -> Result<WithHeaders<NoContent>> {
    let Request { call, path, head, .. } = request;
    let at = target(&path, app::presented_grant(&call.actor)?)?;
    delete(&app, &call, &at, &head).await
}

/// Removes an upload, of any destination, with its bytes.
///
/// # Errors
/// `PRECONDITION_FAILED`, `NOT_FOUND`; `UPLOAD_IN_PROGRESS` while a piece arrives.
pub(in crate::routes) async fn delete<P: UploadPermission>(
    app: &App,
    call: &Call<P>,
    at: &ResumableUploadRef,
    head: &RequestHead,
) -> Result<WithHeaders<NoContent>> {
    headers::require_version(head)?;
    resumable::delete(app, call, at).await?;
    Ok(WithHeaders { answer: NoContent, headers: Vec::new() })
}
