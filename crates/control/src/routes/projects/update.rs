//! Change a project's record. A merge patch: absent fields stay, and `null` clears.

use auth::actor::ProjectManage;
use domain::Result;
use domain::patch::{self, Patch};
use domain::project::{BranchName, Visibility};
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::Deserialize;
use store::projects::{self, ProjectChanges};
use wire::{Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::projects::{ProjectAnswer, ProjectPath};

/// The changes; at least one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
#[schemars(rename = "UpdateProjectRequest")]
pub struct Body {
    /// Name.
    #[serde(default)]
    #[schemars(extend("x-notCleared" = true))]
    name: Patch<Name>,
    /// Description.
    #[serde(default)]
    description: Patch<Description>,
    /// Visibility. Clearing it sets `private`.
    #[serde(default)]
    visibility: Patch<Visibility>,
    /// The branch of a project id without a branch.
    #[serde(default)]
    #[schemars(extend("x-notCleared" = true))]
    default_branch: Patch<BranchName>,
}

/// Changes a project's record. Its slug stays.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, ProjectPath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<ProjectAnswer>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let changes = request.body.0.validate()?;
    let project = app
        .store
        .mutate(call, &request.path.project_id, async |tx, project| {
            if expected.is_some() {
                let project = projects::hold(tx, project).await?;
                wire::check_if_match(expected.as_ref(), &ProjectAnswer { project })?;
            }
            projects::update(tx, project, call, &changes).await
        })
        .await?;
    Ok(Reply::ok(ProjectAnswer { project }).etag_of_body())
}

impl Body {
    fn validate(self) -> Result<ProjectChanges> {
        patch::not_empty(ProjectChanges {
            name: self.name.not_cleared("name")?,
            description: self.description.or_cleared(Description::default()),
            visibility: self.visibility.or_cleared(Visibility::default()),
            default_branch: self.default_branch.not_cleared("defaultBranch")?,
        })
    }
}
