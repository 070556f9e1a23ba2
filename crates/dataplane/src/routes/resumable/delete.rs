//! Cancel an upload in pieces. The objects of a finished one stay.

use api::content::uploads::resumable::{DeleteResumableUpload, UploadPath};
use auth::actor::ProjectWrite;
use domain::Result;
use store::Call;
use wire::{Request, RequestHead};

use crate::app::{self, App};
use crate::resumable::{self, headers};
use crate::routes::resumable::{NoContent, WithHeaders, target};

/// Removes an upload with its bytes.
///
/// # Errors
/// `PRECONDITION_FAILED`, `NOT_FOUND`; `UPLOAD_IN_PROGRESS` while a piece arrives.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, DeleteResumableUpload>,
) -> Result<WithHeaders<NoContent>> {
    let Request { call, path, head, .. } = request;
    delete(&app, &call, &path, &head).await
}

/// The work of [`handle`], shared with the method override.
///
/// # Errors
/// Those of [`handle`].
pub(super) async fn delete(
    app: &App,
    call: &Call<ProjectWrite>,
    path: &UploadPath,
    head: &RequestHead,
) -> Result<WithHeaders<NoContent>> {
    headers::require_version(head)?;
    let at = target(path, app::presented_grant(&call.actor)?)?;
    resumable::delete(app, call, &at).await?;
    Ok(WithHeaders { answer: NoContent, headers: Vec::new() })
}
