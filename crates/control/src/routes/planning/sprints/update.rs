//! Change a sprint that is not completed. A merge patch: absent fields stay, and `null` clears.

use api::planning::sprints::{SprintResponse, UpdateSprint, UpdateSprintRequest};
use auth::actor::TeamWrite;
use domain::text::Description;
use domain::{Result, patch};
use store::planning::sprints::{self, SprintChanges};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::planning::sprints::answer;
use crate::routes::target::PathTarget;

/// Changes a sprint's name, description or dates. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, UpdateSprint>,
) -> Result<TaggedReply<SprintResponse>> {
    let expected = request.head.if_match()?;
    let changes = validate(request.body.0)?;
    let sprint = app
        .store
        .mutate(&request.call, &request.path.target(), async |tx, sprint| {
            wire::check_if_match(expected.as_ref(), &answer(sprint))?;
            sprints::update(tx, sprint, &request.call, &changes).await
        })
        .await?;
    Ok(Reply::ok(SprintResponse { sprint }).etag_of_body())
}

fn validate(body: UpdateSprintRequest) -> Result<SprintChanges> {
    patch::not_empty(SprintChanges {
        name: body.name.not_cleared("name")?,
        description: body.description.or_cleared(Description::default()),
        start: body.start_date.nullable(),
        end: body.end_date.nullable(),
    })
}
