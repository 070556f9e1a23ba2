//! List the caller's projects.

use auth::actor::ProjectRead;
use domain::Result;
use domain::id::{OwnerId, ProjectId};
use domain::page::{LimitText, PageMeta};
use domain::project::ProjectRecord;
use domain::search::fold;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Me;
use store::projects::{self, ProjectFilter};
use wire::{NoPath, Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};

/// The filter of projects.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only projects of this user or organization.
    owner_id: Option<OwnerId>,
    /// Only entries whose name contains this text, regardless of case.
    #[schemars(length(max = 200))]
    q: Option<String>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of projects, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListProjectsResponse")]
pub struct Answer {
    projects: Vec<ProjectRecord>,
    meta: PageMeta,
}

/// Lists the projects that the caller can access as owner, as member or through an organization, newest first.
pub async fn handle(app: App, request: Request<ProjectRead, NoPath, Query>) -> Result<Reply<Answer>> {
    let Query { owner_id, q, limit, cursor } = request.query;
    let folded_q = page::search_text(q)?.map(|q| fold(&q));
    let page: PageRequest<_, ProjectId> =
        PageRequest::open(&app.cursors, ("projects", owner_id, &folded_q), limit, cursor)?;
    let query = ProjectFilter {
        owner: owner_id,
        folded_q: folded_q.as_deref(),
        before: page.from,
        rows: page.rows(),
    };
    let found =
        app.store.read(&request.call, &Me, async |tx, me| projects::list(tx, me, &query).await).await?;
    let (projects, meta) = page.cut(found, |project| project.id)?;
    Ok(Reply::ok(Answer { projects, meta }))
}
