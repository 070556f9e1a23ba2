//! List a session's uploads in pieces, with their progress.

use auth::actor::ProjectRead;
use domain::Result;
use domain::id::UploadId;
use domain::page::PageMeta;
use domain::upload::ResumableUpload;
use schemars::JsonSchema;
use serde::Serialize;
use store::resumable;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{PageQuery, PageRequest};
use crate::routes::sessions::SessionPath;

/// A page of uploads, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListUploadsResponse")]
pub struct Answer {
    uploads: Vec<ResumableUpload>,
    meta: PageMeta,
}

/// Lists the unexpired uploads in pieces of a session, newest first.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, SessionPath, PageQuery>,
) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let page: PageRequest<_, UploadId> = request.query.open(&app.cursors, ("uploads", at.session))?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, session| {
            resumable::list(tx, session, page.from, page.rows()).await
        })
        .await?;
    let (records, meta) = page.cut(found, |upload| upload.id)?;
    Ok(Reply::ok(Answer { uploads: records.iter().map(resumable::UploadRecord::view).collect(), meta }))
}
