//! Change or move a status column. A merge patch: what is absent stays, and `null` clears.

use auth::actor::TeamWrite;
use domain::id::StatusId;
use domain::patch::Patch;
use domain::status::{CloseMode, TransitionState, WipLimit, WipPolicy, WipUnit};
use domain::tag::Color;
use domain::team::ACTIVE;
use domain::text::{Description, Name};
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::teams::statuses::{self, Place, StatusChanges};
use wire::{Json, NoQuery, Reply, Request, Tagged};

use crate::app::App;
use crate::routes::teams::statuses::{StatusAnswer, StatusPath};

/// What to change; never nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
#[schemars(rename = "UpdateStatusRequest")]
pub struct Body {
    /// Name.
    #[serde(default)]
    name: Patch<Name>,
    /// Description.
    #[serde(default)]
    description: Patch<Description>,
    /// Color as `#RRGGBB`; gray when cleared.
    #[serde(default)]
    color: Patch<Color>,
    /// Lifecycle flag; `active` when cleared.
    #[serde(default)]
    status: Patch<Name>,
    /// How far along work is that stands there; `not_started` when cleared. Cards that stand there already are left as they are.
    #[serde(default)]
    transition_state: Patch<TransitionState>,
    /// Whether cards are closed and opened by being moved, from now on; `off` when cleared.
    #[serde(default)]
    close_mode: Patch<CloseMode>,
    /// Most work that may stand there; any when cleared.
    #[serde(default)]
    wip_limit: Patch<WipLimit>,
    /// What happens above the limit; `warn` when cleared.
    #[serde(default)]
    wip_policy: Patch<WipPolicy>,
    /// What the limit counts; cards when cleared.
    #[serde(default)]
    wip_unit: Patch<WipUnit>,
    /// The column to go right before. With neither neighbour the column stays where it is.
    before_status_id: Option<StatusId>,
    /// The column to go right after. Where both are named they must be neighbours, this one first.
    after_status_id: Option<StatusId>,
}

/// Changes a column, and moves it where a neighbour is named. With `If-Match` only where its `ETag` is as expected.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, StatusPath, NoQuery, Json<Body>>,
) -> Result<Tagged<StatusAnswer>> {
    let expected = request.head.if_match()?;
    let changes = request.body.0.validate()?;
    let status = app
        .store
        .mutate(&request.call, &request.path.target(), async |tx, status| {
            wire::require(expected.as_ref(), &StatusAnswer::of(status))?;
            statuses::update(tx, status, &changes).await
        })
        .await?;
    Ok(Reply::ok(StatusAnswer { status }).etag_of_body())
}

impl Body {
    fn validate(self) -> Result<StatusChanges> {
        let place = Place { after: self.after_status_id, before: self.before_status_id };
        let changes = StatusChanges {
            name: self.name.not_cleared("name")?,
            description: self.description.or_cleared(Description::default()),
            color: self.color.or_cleared(Color::default()),
            status: self.status.or_cleared(Name::parse("status", ACTIVE)?),
            transition_state: self.transition_state.or_cleared(TransitionState::default()),
            close_mode: self.close_mode.or_cleared(CloseMode::default()),
            wip_limit: self.wip_limit.nullable(),
            wip_policy: self.wip_policy.or_cleared(WipPolicy::default()),
            wip_unit: self.wip_unit.or_cleared(WipUnit::default()),
            place: (place != Place::default()).then_some(place),
        };
        if changes == StatusChanges::default() {
            return Err(Error::invalid("", "minProperties", "must change something"));
        }
        Ok(changes)
    }
}
