//! Change or move a status column. A merge patch: absent fields stay, and `null` clears.

use api::planning::teams::statuses::{StatusResponse, UpdateStatus, UpdateStatusRequest};
use auth::actor::TeamWrite;
use domain::planning::status::{CloseMode, TransitionState, WipPolicy, WipUnit};
use domain::planning::tag::Color;
use domain::planning::team::ACTIVE;
use domain::text::{Description, Name};
use domain::{Result, patch};
use store::planning::teams::statuses::{self, ColumnPlace, StatusChanges};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::planning::teams::statuses::answer;
use crate::routes::target::PathTarget;

/// Changes a column, and moves it if a neighbour is named. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, UpdateStatus>,
) -> Result<TaggedReply<StatusResponse>> {
    let expected = request.head.if_match()?;
    let changes = validate(request.body.0)?;
    let status = app
        .store
        .mutate(&request.call, &request.path.target(), async |tx, status| {
            wire::check_if_match(expected.as_ref(), &answer(status))?;
            statuses::update(tx, status, &request.call, &changes).await
        })
        .await?;
    Ok(Reply::ok(StatusResponse { status }).etag_of_body())
}

fn validate(body: UpdateStatusRequest) -> Result<StatusChanges> {
    let place = ColumnPlace { after: body.after_status_id, before: body.before_status_id };
    patch::not_empty(StatusChanges {
        name: body.name.not_cleared("name")?,
        description: body.description.or_cleared(Description::default()),
        color: body.color.or_cleared(Color::default()),
        status: body.status.or_cleared(Name::parse("status", ACTIVE)?),
        transition_state: body.transition_state.or_cleared(TransitionState::default()),
        close_mode: body.close_mode.or_cleared(CloseMode::default()),
        wip_limit: body.wip_limit.nullable(),
        wip_policy: body.wip_policy.or_cleared(WipPolicy::default()),
        wip_unit: body.wip_unit.or_cleared(WipUnit::default()),
        place: (place != ColumnPlace::default()).then_some(place),
    })
}
