//! Create a sprint.

use auth::actor::TeamWrite;
use domain::Result;
use domain::sprint::Period;
use domain::text::{Description, Name};
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::Deserialize;
use store::sprints::{self, NewSprint};
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::sprints::SprintAnswer;
use crate::routes::teams::TeamPath;

/// A sprint to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateSprintRequest")]
pub struct Body {
    /// Name.
    name: Name,
    /// Description.
    description: Option<Description>,
    /// Start. A date without a time means the beginning of that day in UTC.
    start_date: Option<DateOrTime>,
    /// End. A date without a time means the end of that day in UTC.
    end_date: Option<DateOrTime>,
}

/// Creates a planned sprint. Its dates are optional until it starts.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, TeamPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<SprintAnswer>> {
    let call = &request.call;
    let new = request.body.0.validate()?;
    let created = app
        .store
        .create(call, &request.path.target(), async |tx, team| sprints::create(tx, team, call, &new).await)
        .await?;
    Ok(Reply::created(created.map(|sprint| SprintAnswer { sprint })).etag_of_body())
}

impl Body {
    fn validate(self) -> Result<NewSprint> {
        Ok(NewSprint {
            name: self.name,
            description: self.description.unwrap_or_default(),
            period: Period::default().with(self.start_date, self.end_date)?,
        })
    }
}
