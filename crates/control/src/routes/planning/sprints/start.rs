//! Start a planned sprint.

use api::planning::sprints::{SprintResponse, StartSprint, StartSprintRequest};
use auth::actor::TeamWrite;
use domain::Result;
use store::planning::sprints::{self, SprintStart};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::planning::sprints::answer;
use crate::routes::target::PathTarget;

/// Starts a planned sprint that contains at least one card. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, StartSprint>,
) -> Result<TaggedReply<SprintResponse>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let StartSprintRequest { start_date, end_date, allow_concurrent } =
        request.body.map(|body| body.0).unwrap_or_default();
    let how =
        SprintStart { start: start_date, end: end_date, allow_concurrent: allow_concurrent == Some(true) };
    let sprint = app
        .store
        .mutate(call, &request.path.target(), async |tx, sprint| {
            wire::check_if_match(expected.as_ref(), &answer(sprint))?;
            sprints::start(tx, sprint, call, how).await
        })
        .await?;
    Ok(Reply::ok(SprintResponse { sprint }).etag_of_body())
}
