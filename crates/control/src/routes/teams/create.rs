//! Create a team.

use auth::actor::TeamWrite;
use domain::Result;
use domain::team::{ACTIVE, TeamVisibility};
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::Deserialize;
use store::teams::{self, NewTeam};
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::organizations::get::OrganizationPath;
use crate::routes::teams::TeamAnswer;

/// A team to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateTeamRequest")]
pub struct Body {
    /// Name, unique among the organization's teams that the caller sees, regardless of case.
    name: Name,
    /// Description.
    description: Option<Description>,
    /// Lifecycle status. Defaults to `active`.
    status: Option<Name>,
    /// Visibility. Defaults to `private`.
    visibility: Option<TeamVisibility>,
}

/// Creates a team with the caller as its manager.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, OrganizationPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<TeamAnswer>> {
    let call = &request.call;
    let Body { name, description, status, visibility } = request.body.0;
    let new = NewTeam {
        name,
        description: description.unwrap_or_default(),
        status: status.map_or_else(|| Name::parse("status", ACTIVE), Ok)?,
        visibility: visibility.unwrap_or_default(),
    };
    let created = app
        .store
        .create(call, &request.path.org_id, async |tx, organization| {
            teams::create(tx, organization, call, &new).await
        })
        .await?;
    Ok(Reply::created(created.map(|team| TeamAnswer { team })).etag_of_body())
}
