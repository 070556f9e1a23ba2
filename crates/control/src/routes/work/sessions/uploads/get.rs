//! Read the state of an upload, for a client that lost the connection before the answer.

use api::work::sessions::uploads::{GetUpload, GetUploadResponse};
use auth::actor::ProjectRead;
use domain::{Error, Result};
use store::SessionRef;
use store::content::uploads::state;
use wire::{Reply, Request};

use crate::app::App;

/// Reads the progress or the result of an upload of the session, in pieces or in one.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn handle(app: App, request: Request<ProjectRead, GetUpload>) -> Result<Reply<GetUploadResponse>> {
    let Request { call, path, .. } = request;
    let at = SessionRef { project: path.project_id, session: path.session_id };
    let found = app
        .store
        .read(&call, &at, async |tx, session| state::find(tx, session, path.upload_id, call.now).await)
        .await?;
    Ok(Reply::ok(GetUploadResponse { upload: found.ok_or_else(Error::not_found)? }))
}
