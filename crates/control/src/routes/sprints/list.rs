//! List a team's sprints.

use auth::actor::TeamRead;
use domain::Result;
use domain::id::SprintId;
use domain::page::{LimitText, PageMeta};
use domain::sprint::{SprintRecord, SprintStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::sprints::{self, SprintFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::teams::TeamPath;

/// The filter of sprints.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only sprints in this state.
    status: Option<SprintStatus>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of sprints, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListSprintsResponse")]
pub struct Answer {
    sprints: Vec<SprintRecord>,
    meta: PageMeta,
}

/// Lists a team's sprints, newest first.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath, Query>) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let Query { status, limit, cursor } = request.query;
    let query = SprintFilter { status };
    let page: PageRequest<_, SprintId> =
        PageRequest::open(&app.cursors, ("sprints", at.team, query), limit, cursor)?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, team| {
            sprints::list(tx, team, query, page.from, page.rows()).await
        })
        .await?;
    let (sprints, meta) = page.cut(found, |sprint| sprint.id)?;
    Ok(Reply::ok(Answer { sprints, meta }))
}
