//! Download a file of any commit by its hash, for Git LFS.

use api::content::uploads::DownloadLfsFile;
use auth::actor::ProjectRead;
use domain::{Error, Result};
use store::content::files;
use wire::{Download, Request};

use crate::app::App;
use crate::grant_end::while_readable;
use crate::routes::download::send;

/// Sends a file of the project.
///
/// # Errors
/// `NOT_FOUND`, `RANGE_NOT_SATISFIABLE`, `UNAVAILABLE`.
pub async fn handle(app: App, request: Request<ProjectRead, DownloadLfsFile>) -> Result<Download> {
    let Request { call, path, head, .. } = request;
    let read = async |tx: &mut _, project: &_| files::find_by_hash(tx, project, path.sha256).await;
    let stored = app.store.read(&call, &path.project_id, read).await?.ok_or_else(Error::not_found)?;
    let answer = send(app.blobs, &head, stored).await?;
    Ok(while_readable(answer, app.store, call, path.project_id))
}
