//! Create a status column.

use auth::actor::TeamWrite;
use domain::Result;
use domain::id::StatusId;
use domain::status::{CloseMode, TransitionState, WipLimit, WipPolicy, WipUnit};
use domain::tag::Color;
use domain::team::ACTIVE;
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::Deserialize;
use store::teams::statuses::{self, ColumnPlace, NewStatus};
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::teams::TeamPath;
use crate::routes::teams::statuses::StatusAnswer;

/// A column to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateStatusRequest")]
pub struct Body {
    /// Name, unique in the team regardless of case.
    name: Name,
    /// Description.
    description: Option<Description>,
    /// Color as `#RRGGBB`. Defaults to gray.
    color: Option<Color>,
    /// Lifecycle flag. Defaults to `active`.
    status: Option<Name>,
    /// Progress of the work in the column. Defaults to `not_started`.
    transition_state: Option<TransitionState>,
    /// Effect of moves on open and closed cards. Defaults to `off`.
    close_mode: Option<CloseMode>,
    /// WIP limit of the column. Defaults to no limit.
    wip_limit: Option<WipLimit>,
    /// Effect of exceeding the limit. Defaults to `warn`.
    wip_policy: Option<WipPolicy>,
    /// Unit of the limit. Defaults to `count`.
    wip_unit: Option<WipUnit>,
    /// Place directly before this column. Defaults to the end of the board.
    before_status_id: Option<StatusId>,
    /// Place directly after this column. If both are present, they must be neighbours, this one first.
    after_status_id: Option<StatusId>,
}

/// Creates a column of a team's board.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, TeamPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<StatusAnswer>> {
    let call = &request.call;
    let new = request.body.0.validate()?;
    let created = app
        .store
        .create(call, &request.path.target(), async |tx, team| statuses::create(tx, team, call, &new).await)
        .await?;
    Ok(Reply::created(created.map(|status| StatusAnswer { status })).etag_of_body())
}

impl Body {
    fn validate(self) -> Result<NewStatus> {
        Ok(NewStatus {
            name: self.name,
            description: self.description.unwrap_or_default(),
            color: self.color.unwrap_or_default(),
            status: self.status.map_or_else(|| Name::parse("status", ACTIVE), Ok)?,
            transition_state: self.transition_state.unwrap_or_default(),
            close_mode: self.close_mode.unwrap_or_default(),
            wip_limit: self.wip_limit,
            wip_policy: self.wip_policy.unwrap_or_default(),
            wip_unit: self.wip_unit.unwrap_or_default(),
            place: ColumnPlace { after: self.after_status_id, before: self.before_status_id },
        })
    }
}
