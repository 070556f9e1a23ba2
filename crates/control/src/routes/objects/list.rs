//! List a branch's objects.

use auth::actor::ProjectRead;
use domain::Result;
use domain::id::ObjectId;
use domain::object::Object;
use domain::page::{LimitText, PageMeta};
use domain::search::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::objects::{self, ObjectFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};
use crate::routes::projects::ProjectPath;

/// Which objects.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only objects of this type.
    #[serde(rename = "type")]
    object_type: Option<String>,
    /// Only direct children of this object.
    parent: Option<ObjectId>,
    /// Only entries whose name contains this text, regardless of case.
    #[schemars(length(max = 200))]
    q: Option<String>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of objects, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListObjectsResponse")]
pub struct Answer {
    objects: Vec<Object>,
    meta: PageMeta,
}

/// Lists a branch's objects with their data and their uncommitted state, oldest first.
pub async fn handle(app: App, request: Request<ProjectRead, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let Query { object_type, parent, q, limit, cursor } = request.query;
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
    Ok(Reply::ok(Answer { objects, meta }))
}
