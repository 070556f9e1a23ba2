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
use store::teams::statuses::{self, NewStatus, Place};
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::teams::TeamPath;
use crate::routes::teams::statuses::StatusAnswer;

/// A column to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateStatusRequest")]
pub struct Body {
    /// Name; no other column of the team has it, in whatever case.
    name: Name,
    /// Description.
    description: Option<Description>,
    /// Color as `#RRGGBB`; gray unless said.
    color: Option<Color>,
    /// Lifecycle flag; `active` unless said.
    status: Option<Name>,
    /// How far along work is that stands there; `not_started` unless said.
    transition_state: Option<TransitionState>,
    /// Whether cards are closed and opened by being moved; `off` unless said.
    close_mode: Option<CloseMode>,
    /// Most work that may stand there; any unless said.
    wip_limit: Option<WipLimit>,
    /// What happens above the limit; `warn` unless said.
    wip_policy: Option<WipPolicy>,
    /// What the limit counts; `count` unless said.
    wip_unit: Option<WipUnit>,
    /// The column to go right before. With neither neighbour the new one goes to the end.
    before_status_id: Option<StatusId>,
    /// The column to go right after. Where both are named they must be neighbours, this one first.
    after_status_id: Option<StatusId>,
}

/// Creates a column of a team's board.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, TeamPath, NoQuery, Json<Body>>,
) -> Result<Created<StatusAnswer>> {
    let call = &request.call;
    let new = request.body.0.validate()?;
    let created = app
        .store
        .create(call, &request.path.target(), async |tx, team| statuses::create(tx, team, call, &new).await)
        .await?;
    Ok(Reply::created(created.map(|status| StatusAnswer { status })))
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
            place: Place { after: self.after_status_id, before: self.before_status_id },
        })
    }
}
