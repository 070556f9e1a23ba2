//! Start a planned sprint.

use auth::actor::TeamWrite;
use domain::Result;
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::Deserialize;
use store::sprints::{self, SprintStart};
use wire::{Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::sprints::{SprintAnswer, SprintPath};

/// Options of the start; the body is optional if the sprint has dates.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "StartSprintRequest")]
pub struct Body {
    /// Start. A date without a time means the beginning of that day in UTC. Required unless the sprint has one.
    start_date: Option<DateOrTime>,
    /// End. A date without a time means the end of that day in UTC. Required unless the sprint has one.
    end_date: Option<DateOrTime>,
    /// Allow another active sprint of the team at the same time.
    allow_concurrent: Option<bool>,
}

/// Starts a planned sprint that contains at least one card. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, SprintPath, NoQuery, Option<Json<Body>>>,
) -> Result<TaggedReply<SprintAnswer>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let Body { start_date, end_date, allow_concurrent } = request.body.map(|body| body.0).unwrap_or_default();
    let how =
        SprintStart { start: start_date, end: end_date, allow_concurrent: allow_concurrent == Some(true) };
    let sprint = app
        .store
        .mutate(call, &request.path.target(), async |tx, sprint| {
            wire::check_if_match(expected.as_ref(), &SprintAnswer::of(sprint))?;
            sprints::start(tx, sprint, call, how).await
        })
        .await?;
    Ok(Reply::ok(SprintAnswer { sprint }).etag_of_body())
}
