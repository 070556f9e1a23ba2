//! Change a project's record. A merge patch: absent fields stay, and `null` clears.

use api::content::projects::{ProjectResponse, UpdateProject, UpdateProjectRequest};
use auth::actor::ProjectManage;
use domain::content::project::Visibility;
use domain::text::Description;
use domain::{Result, patch};
use store::content::projects::{self, ProjectChanges};
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Changes a project's record. Its slug stays.
pub async fn handle(
    app: App,
    request: Request<ProjectManage, UpdateProject>,
) -> Result<TaggedReply<ProjectResponse>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let changes = validate(request.body.0)?;
    let project = app
        .store
        .mutate(call, &request.path.project_id, async |tx, project| {
            if expected.is_some() {
                let project = projects::hold(tx, project).await?;
                wire::check_if_match(expected.as_ref(), &ProjectResponse { project })?;
            }
            projects::update(tx, project, call, &changes).await
        })
        .await?;
    Ok(Reply::ok(ProjectResponse { project }).etag_of_body())
}

fn validate(body: UpdateProjectRequest) -> Result<ProjectChanges> {
    patch::not_empty(ProjectChanges {
        name: body.name.not_cleared("name")?,
        key: body.key.not_cleared("key")?,
        description: body.description.or_cleared(Description::default()),
        visibility: body.visibility.or_cleared(Visibility::default()),
        default_branch: body.default_branch.not_cleared("defaultBranch")?,
    })
}
