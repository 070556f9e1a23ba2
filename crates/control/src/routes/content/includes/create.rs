//! Include a public package of another project, pinned to a commit.

use api::content::includes::{CreateInclude, CreateIncludeRequest, IncludeResponse};
use auth::actor::ProjectWrite;
use domain::content::package::PackageRef;
use domain::{Error, Result, Rule};
use store::content::includes::{self, NewInclude};
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;

/// Creates an uncommitted object that represents a package of another project.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CreateInclude>,
) -> Result<TaggedCreated<IncludeResponse>> {
    let call = &request.call;
    let new = validate(request.body.0)?;
    let created = app
        .store
        .create_on_branch(call, &request.path.project_id, async |tx, project| {
            includes::create(tx, project, call, &new).await
        })
        .await?;
    Ok(Reply::created(created.map(|include| IncludeResponse { include })).etag_of_body())
}

fn validate(body: CreateIncludeRequest) -> Result<NewInclude> {
    let CreateIncludeRequest { reference, project_id, package_id, commit_hash, parent, name } = body;
    let by_reference = reference.is_some();
    let package = match (reference, project_id, package_id, commit_hash) {
        (Some(reference), None, None, None) => reference,
        (None, Some(project), Some(package), commit) => PackageRef { project, package, commit },
        (Some(_), ..) => {
            return Err(Error::invalid(
                "ref",
                Rule::conflict("projectId"),
                "takes no ids and no commit beside it",
            ));
        }
        (None, ..) => {
            let message = "is required unless `projectId` and `packageId` are supplied";
            return Err(Error::invalid("ref", Rule::Required, message));
        }
    };
    Ok(NewInclude { package, by_reference, parent, name })
}
