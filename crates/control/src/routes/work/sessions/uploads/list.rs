//! List a session's uploads in pieces, with their progress.

use api::work::sessions::uploads::{ListUploads, ListUploadsResponse};
use auth::actor::ProjectRead;
use domain::Result;
use domain::id::UploadId;
use store::content::resumable;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::target::PathTarget;

/// Lists the unexpired uploads in pieces of a session, newest first.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListUploads>,
) -> Result<Reply<ListUploadsResponse>> {
    let at = request.path.target();
    let page: PageRequest<_, UploadId> =
        PageRequest::of(request.query, &app.cursors, ("uploads", at.session))?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, session| {
            resumable::list(tx, session, page.from, page.rows()).await
        })
        .await?;
    let (records, meta) = page.cut(found, |upload| upload.id)?;
    Ok(Reply::ok(ListUploadsResponse {
        uploads: records.iter().map(resumable::UploadRecord::of_tree).collect::<Result<_>>()?,
        meta,
    }))
}
