//! Create a project. The project, its branch, its reserved packages and its first commit commit together.

use auth::actor::ProjectWrite;
use domain::id::{OrganizationId, OwnerId, ProjectId};
use domain::project::{ProjectRecord, Visibility, name_from_prompt};
use domain::text::{Description, Name, Prompt, Slug};
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::projects::{self, CreatedProject, NewProject};
use store::{Me, Owner};
use wire::{ETag, Json, NoPath, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::projects::ProjectAnswer;

/// A project to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateProjectRequest")]
pub struct Body {
    /// Name. Required unless `initialPrompt` is supplied.
    name: Option<Name>,
    /// Staged as the creator's first agent message when a client connects.
    initial_prompt: Option<Prompt>,
    /// Description.
    description: Option<Description>,
    /// The owning organization. Defaults to the calling user as the owner.
    org_id: Option<OrganizationId>,
    /// Visibility. Defaults to `private`.
    visibility: Option<Visibility>,
    /// Derive the name from `initialPrompt`, even if `name` is present.
    auto_name: Option<bool>,
    /// Start without a commit, so that the reserved packages are uncommitted.
    skip_initial_commit: Option<bool>,
}

/// The created project.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CreateProjectResponse")]
pub struct Answer {
    /// Id.
    id: ProjectId,
    /// The project's name in URLs, unique for its owner.
    project_slug: Slug,
    /// The owner's name in URLs.
    owner_slug: Slug,
    /// The owner.
    owner_id: OwnerId,
}

/// Creates a project owned by the caller, or by `orgId` when supplied.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, NoPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<Answer>> {
    let call = &request.call;
    let organization = request.body.0.org_id;
    let new = request.body.0.validate()?;
    let created = app
        .store
        .create(call, &Me, async |tx, me| {
            let owner = Owner::resolve(tx, call, me, organization).await;
            let owner = owner.map_err(|error| error.named_by("orgId"))?;
            projects::create(tx, &owner, call, &new, app.limits.projects).await
        })
        .await?;
    let etag = ETag::of_json(&ProjectAnswer { project: created.value.record.clone() })?;
    Ok(Reply::created(created.map(Answer::from)).etag(etag))
}

impl Body {
    fn validate(self) -> Result<NewProject> {
        Ok(NewProject {
            name: self.chosen_name()?,
            description: self.description.unwrap_or_default(),
            visibility: self.visibility.unwrap_or_default(),
            initial_prompt: self.initial_prompt,
            skip_initial_commit: self.skip_initial_commit.unwrap_or_default(),
        })
    }

    fn chosen_name(&self) -> Result<Name> {
        let auto = self.auto_name.unwrap_or_default();
        match (&self.name, &self.initial_prompt) {
            (Some(name), _) if !auto => Ok(name.clone()),
            (_, Some(prompt)) => name_from_prompt(prompt).ok_or_else(|| {
                Error::invalid("initialPrompt", Rule::format("name"), "holds nothing to name the project by")
            }),
            (Some(_), None) => {
                Err(Error::invalid("initialPrompt", Rule::Required, "is required with `autoName`"))
            }
            (None, None) => {
                Err(Error::invalid("name", Rule::Required, "is required unless `initialPrompt` is supplied"))
            }
        }
    }
}

impl From<CreatedProject> for Answer {
    fn from(created: CreatedProject) -> Self {
        let ProjectRecord { id, project_slug, owner_slug, owner_id, .. } = created.record;
        Self { id, project_slug, owner_slug, owner_id }
    }
}
