//! Start a planned sprint.

use auth::actor::TeamWrite;
use domain::Result;
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::Deserialize;
use store::sprints::{self, Start};
use wire::{Json, NoQuery, Reply, Request, Tagged};

use crate::app::App;
use crate::routes::sprints::{SprintAnswer, SprintPath};

/// How to start it; the body may be left out where the sprint has its dates.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "StartSprintRequest")]
pub struct Body {
    /// When it begins; a date alone means the beginning of that day in UTC. Required unless the sprint has it.
    start_date: Option<DateOrTime>,
    /// When it ends; a date alone means the end of that day in UTC. Required unless the sprint has it.
    end_date: Option<DateOrTime>,
    /// Whether another sprint of the team may be active.
    allow_concurrent: Option<bool>,
}

/// Starts a planned sprint that contains at least one card. With `If-Match` only where its `ETag` is as expected.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, SprintPath, NoQuery, Option<Json<Body>>>,
) -> Result<Tagged<SprintAnswer>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let Body { start_date, end_date, allow_concurrent } = request.body.map(|body| body.0).unwrap_or_default();
    let how = Start { start: start_date, end: end_date, allow_concurrent: allow_concurrent == Some(true) };
    let sprint = app
        .store
        .mutate(call, &request.path.target(), async |tx, sprint| {
            wire::require(expected.as_ref(), &SprintAnswer::of(sprint))?;
            sprints::start(tx, sprint, call, how).await
        })
        .await?;
    Ok(Reply::ok(SprintAnswer { sprint }).etag_of_body())
}
