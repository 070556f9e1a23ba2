//! List an organization's teams.

use api::planning::teams::{ListTeams, ListTeamsQuery, ListTeamsResponse};
use auth::actor::TeamRead;
use domain::Result;
use domain::id::TeamId;
use domain::search::fold;
use store::planning::teams::{self, TeamFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};

/// Lists the teams of an organization that the caller sees, newest first.
pub async fn handle(app: App, request: Request<TeamRead, ListTeams>) -> Result<Reply<ListTeamsResponse>> {
    let at = request.path.org_id;
    let ListTeamsQuery { q, status, limit, cursor } = request.query;
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
    Ok(Reply::ok(ListTeamsResponse { teams, meta }))
}
