//! Change or move a status column. A merge patch: absent fields stay, and `null` clears.

use auth::actor::TeamWrite;
use domain::Result;
use domain::id::StatusId;
use domain::patch::{self, Patch};
use domain::status::{CloseMode, TransitionState, WipLimit, WipPolicy, WipUnit};
use domain::tag::Color;
use domain::team::ACTIVE;
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::Deserialize;
use store::teams::statuses::{self, ColumnPlace, StatusChanges};
use wire::{Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::teams::statuses::{StatusAnswer, StatusPath};

/// The changes; at least one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
#[schemars(rename = "UpdateStatusRequest")]
pub struct Body {
    /// Name.
    #[serde(default)]
    #[schemars(extend("x-notCleared" = true))]
    name: Patch<Name>,
    /// Description.
    #[serde(default)]
    description: Patch<Description>,
    /// Color as `#RRGGBB`. Clearing it sets gray.
    #[serde(default)]
    color: Patch<Color>,
    /// Lifecycle flag. Clearing it sets `active`.
    #[serde(default)]
    status: Patch<Name>,
    /// Progress of the work in the column. Clearing it sets `not_started`. Cards in the column are not changed.
    #[serde(default)]
    transition_state: Patch<TransitionState>,
    /// Effect of later moves on open and closed cards. Clearing it sets `off`.
    #[serde(default)]
    close_mode: Patch<CloseMode>,
    /// WIP limit of the column. Clearing it removes the limit.
    #[serde(default)]
    wip_limit: Patch<WipLimit>,
    /// Effect of exceeding the limit. Clearing it sets `warn`.
    #[serde(default)]
    wip_policy: Patch<WipPolicy>,
    /// Unit of the limit. Clearing it sets `count`.
    #[serde(default)]
    wip_unit: Patch<WipUnit>,
    /// Place directly before this column. Without a neighbour, the column keeps its place.
    before_status_id: Option<StatusId>,
    /// Place directly after this column. If both are present, they must be neighbours, this one first.
    after_status_id: Option<StatusId>,
}

/// Changes a column, and moves it if a neighbour is named. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, StatusPath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<StatusAnswer>> {
    let expected = request.head.if_match()?;
    let changes = request.body.0.validate()?;
    let status = app
        .store
        .mutate(&request.call, &request.path.target(), async |tx, status| {
            wire::check_if_match(expected.as_ref(), &StatusAnswer::of(status))?;
            statuses::update(tx, status, &changes).await
        })
        .await?;
    Ok(Reply::ok(StatusAnswer { status }).etag_of_body())
}

impl Body {
    fn validate(self) -> Result<StatusChanges> {
        let place = ColumnPlace { after: self.after_status_id, before: self.before_status_id };
        patch::not_empty(StatusChanges {
            name: self.name.not_cleared("name")?,
            description: self.description.or_cleared(Description::default()),
            color: self.color.or_cleared(Color::default()),
            status: self.status.or_cleared(Name::parse("status", ACTIVE)?),
            transition_state: self.transition_state.or_cleared(TransitionState::default()),
            close_mode: self.close_mode.or_cleared(CloseMode::default()),
            wip_limit: self.wip_limit.nullable(),
            wip_policy: self.wip_policy.or_cleared(WipPolicy::default()),
            wip_unit: self.wip_unit.or_cleared(WipUnit::default()),
            place: (place != ColumnPlace::default()).then_some(place),
        })
    }
}
