//! List an organization's teams.

use auth::actor::TeamRead;
use domain::Result;
use domain::id::TeamId;
use domain::page::{LimitText, PageMeta};
use domain::search::fold;
use domain::team::TeamRecord;
use domain::text::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::teams::{self, TeamFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::organizations::get::OrganizationPath;
use crate::routes::page::{self, PageRequest};

/// The filter of teams.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only entries whose name contains this text, regardless of case.
    #[schemars(length(max = 200))]
    q: Option<String>,
    /// Only teams with this lifecycle status.
    status: Option<Name>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of teams, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListTeamsResponse")]
pub struct Answer {
    teams: Vec<TeamRecord>,
    meta: PageMeta,
}

/// Lists the teams of an organization that the caller sees, newest first.
pub async fn handle(app: App, request: Request<TeamRead, OrganizationPath, Query>) -> Result<Reply<Answer>> {
    let at = request.path.org_id;
    let Query { q, status, limit, cursor } = request.query;
    let folded_q = page::search_text(q)?.map(|q| fold(&q));
    let page: PageRequest<_, TeamId> =
        PageRequest::open(&app.cursors, ("teams", at, &folded_q, &status), limit, cursor)?;
    let query = TeamFilter {
        folded_q: folded_q.as_deref(),
        status: status.as_ref(),
        before: page.from,
        rows: page.rows(),
    };
    let found = app
        .store
        .read(&request.call, &at, async |tx, organization| teams::list(tx, organization, &query).await)
        .await?;
    let (teams, meta) = page.cut(found, |team| team.id)?;
    Ok(Reply::ok(Answer { teams, meta }))
}
