//! Create a sprint.

use api::planning::sprints::{CreateSprint, CreateSprintRequest, SprintResponse};
use auth::actor::TeamWrite;
use domain::Result;
use store::planning::sprints::{self, NewSprint};
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::target::PathTarget;

/// Creates a planned sprint. Its dates are optional until it starts.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, CreateSprint>,
) -> Result<TaggedCreated<SprintResponse>> {
    let call = &request.call;
    let new = new_sprint(request.body.0);
    let created = app
        .store
        .create(call, &request.path.target(), async |tx, team| sprints::create(tx, team, call, &new).await)
        .await?;
    Ok(Reply::created(created.map(|sprint| SprintResponse { sprint })).etag_of_body())
}

fn new_sprint(body: CreateSprintRequest) -> NewSprint {
    NewSprint {
        name: body.name,
        description: body.description.unwrap_or_default(),
        start: body.start_date,
        end: body.end_date,
    }
}
