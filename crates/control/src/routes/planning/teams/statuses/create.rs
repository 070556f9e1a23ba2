//! Create a status column.

use api::planning::teams::statuses::{CreateStatus, CreateStatusRequest, StatusResponse};
use auth::actor::TeamWrite;
use domain::Result;
use domain::planning::team::ACTIVE;
use domain::text::Name;
use store::planning::teams::statuses::{self, ColumnPlace, NewStatus};
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Creates a column of a team's board.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, CreateStatus>,
) -> Result<TaggedCreated<StatusResponse>> {
    let call = &request.call;
    let new = validate(request.body.0)?;
    let created = app
        .store
        .create(call, &request.path.target(), async |tx, team| statuses::create(tx, team, call, &new).await)
        .await?;
    Ok(Reply::created(created.map(|status| StatusResponse { status })).etag_of_body())
}

fn validate(body: CreateStatusRequest) -> Result<NewStatus> {
    Ok(NewStatus {
        name: body.name,
        description: body.description.unwrap_or_default(),
        color: body.color.unwrap_or_default(),
        status: body.status.map_or_else(|| Name::parse("status", ACTIVE), Ok)?,
        transition_state: body.transition_state.unwrap_or_default(),
        close_mode: body.close_mode.unwrap_or_default(),
        wip_limit: body.wip_limit,
        wip_policy: body.wip_policy.unwrap_or_default(),
        wip_unit: body.wip_unit.unwrap_or_default(),
        place: ColumnPlace { after: body.after_status_id, before: body.before_status_id },
    })
}
