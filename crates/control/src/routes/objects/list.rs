//! List a branch's objects.

use api::objects::{ListObjectsQuery, ListObjectsResponse};
use auth::actor::ProjectRead;
use domain::Result;
use domain::id::ObjectId;
use domain::search::fold;
use store::content::objects::{self, ObjectFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};
use crate::routes::projects::ProjectPath;

/// Lists a branch's objects with their data and their uncommitted state, oldest first.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ProjectPath, ListObjectsQuery>,
) -> Result<Reply<ListObjectsResponse>> {
    let at = &request.path.project_id;
    let ListObjectsQuery { object_type, parent, q, limit, cursor } = request.query;
    let folded_q = page::search_text(q)?.map(|q| fold(&q));
    let page: PageRequest<_, ObjectId> =
        PageRequest::open(&app.cursors, ("objects", at, &object_type, parent, &folded_q), limit, cursor)?;
    let query = ObjectFilter {
        object_type: object_type.as_deref(),
        parent,
        folded_q: folded_q.as_deref(),
        after: page.from,
        rows: page.rows(),
    };
    let found = app
        .store
        .read(&request.call, at, async |tx, project| objects::list(tx, project, &query).await)
        .await?;
    let (objects, meta) = page.cut(found, |object| object.id)?;
    Ok(Reply::ok(ListObjectsResponse { objects, meta }))
}
