//! List the status columns of a team's board.

use auth::actor::TeamRead;
use domain::Result;
use domain::id::StatusId;
use domain::page::{Limit, PageMeta};
use domain::position::Position;
use domain::status::StatusRecord;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::teams::statuses;
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

/// A page of columns, in their order.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListStatusesResponse")]
pub struct Answer {
    statuses: Vec<StatusRecord>,
    meta: PageMeta,
}

/// Lists a team's columns, in their order.
pub async fn handle(app: App, request: Request<TeamRead, TeamPath, Query>) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("statuses", at.team);
    let cursor = request.query.cursor.as_deref();
    let after: Option<(Position, StatusId)> =
        cursor.map(|cursor| app.cursors.open(&filter, cursor)).transpose()?;
    let mut found =
        app.store.read(&request.call, &at, async |tx, team| statuses::list(tx, team).await).await?;
    // A board reads them all as well; what is not shown costs little.
    let position = |status: &StatusRecord| (status.position.clone(), status.id);
    found.retain(|status| after.as_ref().is_none_or(|after| position(status) > *after));
    let (statuses, meta) = page::cut(&app.cursors, &filter, limit, found, position)?;
    Ok(Reply::ok(Answer { statuses, meta }))
}
