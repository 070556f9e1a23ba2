//! Change a sprint that is not completed. A merge patch: absent fields stay, and `null` clears.

use auth::actor::TeamWrite;
use domain::Result;
use domain::patch::{self, Patch};
use domain::text::{Description, Name};
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::Deserialize;
use store::sprints::{self, SprintChanges};
use wire::{Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::sprints::{SprintAnswer, SprintPath};

/// The changes; at least one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
#[schemars(rename = "UpdateSprintRequest")]
pub struct Body {
    /// Name.
    #[serde(default)]
    #[schemars(extend("x-notCleared" = true))]
    name: Patch<Name>,
    /// Description.
    #[serde(default)]
    description: Patch<Description>,
    /// Start. A date without a time means the beginning of that day in UTC. Required for an active sprint.
    #[serde(default)]
    start_date: Patch<DateOrTime>,
    /// End. A date without a time means the end of that day in UTC. Required for an active sprint.
    #[serde(default)]
    end_date: Patch<DateOrTime>,
}

/// Changes a sprint's name, description or dates. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, SprintPath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<SprintAnswer>> {
    let expected = request.head.if_match()?;
    let changes = request.body.0.validate()?;
    let sprint = app
        .store
        .mutate(&request.call, &request.path.target(), async |tx, sprint| {
            wire::check_if_match(expected.as_ref(), &SprintAnswer::of(sprint))?;
            sprints::update(tx, sprint, &changes).await
        })
        .await?;
    Ok(Reply::ok(SprintAnswer { sprint }).etag_of_body())
}

impl Body {
    fn validate(self) -> Result<SprintChanges> {
        patch::not_empty(SprintChanges {
            name: self.name.not_cleared("name")?,
            description: self.description.or_cleared(Description::default()),
            start: self.start_date.nullable(),
            end: self.end_date.nullable(),
        })
    }
}
