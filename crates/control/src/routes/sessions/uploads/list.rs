//! List a session's uploads in pieces: how far each is.

use auth::actor::ProjectRead;
use domain::Result;
use domain::id::UploadId;
use domain::page::{Limit, PageMeta};
use domain::upload::ResumableUpload;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::resumable;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page;
use crate::routes::sessions::SessionPath;

/// Which page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// 1 to 100, 50 unless said.
    limit: Option<String>,
    /// `meta.nextCursor` of the page before.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of uploads, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListUploadsResponse")]
pub struct Answer {
    uploads: Vec<ResumableUpload>,
    meta: PageMeta,
}

/// Lists the uploads in pieces of a session that have not expired, newest first.
pub async fn handle(app: App, request: Request<ProjectRead, SessionPath, Query>) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("uploads", at.session);
    let cursor = request.query.cursor.as_deref();
    let before: Option<UploadId> = cursor.map(|cursor| app.cursors.open(&filter, cursor)).transpose()?;
    let rows = page::rows_to_ask(limit);
    let found = app
        .store
        .read(&request.call, &at, async |tx, session| resumable::list(tx, session, before, rows).await)
        .await?;
    let (records, meta) = page::cut(&app.cursors, &filter, limit, found, |upload| upload.id)?;
    Ok(Reply::ok(Answer { uploads: records.iter().map(resumable::UploadRecord::view).collect(), meta }))
}
