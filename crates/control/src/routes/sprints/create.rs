//! Create a sprint.

use api::sprints::{CreateSprintRequest, SprintResponse};
use auth::actor::TeamWrite;
use domain::Result;
use domain::sprint::Period;
use store::sprints::{self, NewSprint};
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::teams::TeamPath;

/// Creates a planned sprint. Its dates are optional until it starts.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, TeamPath, NoQuery, Json<CreateSprintRequest>>,
) -> Result<TaggedCreated<SprintResponse>> {
    let call = &request.call;
    let new = validate(request.body.0)?;
    let created = app
        .store
        .create(call, &request.path.target(), async |tx, team| sprints::create(tx, team, call, &new).await)
        .await?;
    Ok(Reply::created(created.map(|sprint| SprintResponse { sprint })).etag_of_body())
}

fn validate(body: CreateSprintRequest) -> Result<NewSprint> {
    Ok(NewSprint {
        name: body.name,
        description: body.description.unwrap_or_default(),
        period: Period::default().with(body.start_date, body.end_date)?,
    })
}
