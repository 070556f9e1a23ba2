//! List the projects that are linked to a team.

use auth::actor::TeamRead;
use domain::Result;
use domain::id::ProjectId;
use domain::page::{Limit, PageMeta};
use domain::team::LinkedProject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::teams::projects;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page;
use crate::routes::teams::TeamPath;

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

/// A page of linked projects, by name.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListTeamProjectsResponse")]
pub struct Answer {
    projects: Vec<LinkedProject>,
    meta: PageMeta,
}

/// Lists the projects linked to a team that the caller may read, by name.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath, Query>) -> Result<Reply<Answer>> {
    let (call, at) = (&request.call, request.path.target());
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("teamProjects", at.team);
    let cursor = request.query.cursor.as_deref();
    let after: Option<(String, ProjectId)> =
        cursor.map(|cursor| app.cursors.open(&filter, cursor)).transpose()?;
    let mut found = app.store.read(call, &at, async |tx, team| projects::list(tx, team, call).await).await?;
    // By an order that is the same in every database, as the position is compared here.
    let position = |project: &LinkedProject| (project.name.as_str().to_owned(), project.id);
    found.sort_by_cached_key(position);
    found.retain(|project| after.as_ref().is_none_or(|after| position(project) > *after));
    let (projects, meta) = page::cut(&app.cursors, &filter, limit, found, position)?;
    Ok(Reply::ok(Answer { projects, meta }))
}
