//! Change a team. A merge patch: absent fields stay, and `null` clears.

use auth::actor::TeamManage;
use domain::Result;
use domain::patch::{self, Patch};
use domain::team::{ACTIVE, TeamVisibility};
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::Deserialize;
use store::teams::{self, TeamChanges};
use wire::{Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::teams::{TeamAnswer, TeamPath};

/// The changes; at least one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
#[schemars(rename = "UpdateTeamRequest")]
pub struct Body {
    /// Name.
    #[serde(default)]
    #[schemars(extend("x-notCleared" = true))]
    name: Patch<Name>,
    /// Description.
    #[serde(default)]
    description: Patch<Description>,
    /// Lifecycle status. Clearing it sets `active`.
    #[serde(default)]
    status: Patch<Name>,
    /// Visibility. Clearing it sets `private`.
    #[serde(default)]
    visibility: Patch<TeamVisibility>,
}

/// Changes a team's own fields. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamManage, TeamPath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<TeamAnswer>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let changes = request.body.0.validate()?;
    let team = app
        .store
        .mutate(call, &request.path.target(), async |tx, team| {
            wire::check_if_match(expected.as_ref(), &TeamAnswer::of(team))?;
            teams::update(tx, team, call, &changes).await
        })
        .await?;
    Ok(Reply::ok(TeamAnswer { team }).etag_of_body())
}

impl Body {
    fn validate(self) -> Result<TeamChanges> {
        patch::not_empty(TeamChanges {
            name: self.name.not_cleared("name")?,
            description: self.description.or_cleared(Description::default()),
            status: self.status.or_cleared(Name::parse("status", ACTIVE)?),
            visibility: self.visibility.or_cleared(TeamVisibility::default()),
        })
    }
}
