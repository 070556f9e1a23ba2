//! Create a project. The project, its branch, its reserved packages and its first commit commit together.

use api::content::projects::{CreateProject, CreateProjectRequest, CreateProjectResponse, ProjectResponse};
use auth::actor::ProjectWrite;
use domain::content::project::{ProjectRecord, name_from_prompt};
use domain::text::Name;
use domain::{Error, Result, Rule};
use store::content::projects::{self, CreatedProject, NewProject};
use store::{Me, Owner};
use wire::{ETag, Reply, Request, TaggedCreated};

use crate::app::App;

/// Creates a project owned by the caller, or by `orgId` when supplied.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CreateProject>,
) -> Result<TaggedCreated<CreateProjectResponse>> {
    let call = &request.call;
    let organization = request.body.0.org_id;
    let new = validate(request.body.0)?;
    let created = app
        .store
        .create(call, &Me, async |tx, me| {
            let owner = Owner::resolve(tx, call, me, organization).await;
            let owner = owner.map_err(|error| error.named_by("orgId"))?;
            projects::create(tx, &owner, call, &new, app.project_limit).await
        })
        .await?;
    let etag = ETag::of_json(&ProjectResponse { project: created.value.record.clone() })?;
    Ok(Reply::created(created.map(answer)).etag(etag))
}

fn validate(body: CreateProjectRequest) -> Result<NewProject> {
    Ok(NewProject {
        name: chosen_name(&body)?,
        key: body.key,
        description: body.description.unwrap_or_default(),
        visibility: body.visibility.unwrap_or_default(),
        initial_prompt: body.initial_prompt,
        skip_initial_commit: body.skip_initial_commit.unwrap_or_default(),
    })
}

fn chosen_name(body: &CreateProjectRequest) -> Result<Name> {
    let auto = body.auto_name.unwrap_or_default();
    match (&body.name, &body.initial_prompt) {
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

/// The answer.
fn answer(created: CreatedProject) -> CreateProjectResponse {
    let ProjectRecord { id, key, project_slug, owner_slug, owner_id, .. } = created.record;
    CreateProjectResponse { id, key, project_slug, owner_slug, owner_id }
}
