//! Give up an upload in pieces. What one that is done has created stays.

use auth::actor::ProjectWrite;
use domain::Result;
use store::Call;
use wire::{Head, NoQuery, Request};

use crate::app::{self, App};
use crate::resumable::{self, headers};
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
    let at = path.target(app::presented_grant(&call.actor)?)?;
    resumable::delete(app, call, &at).await.map(|()| NoContent::default())
}
