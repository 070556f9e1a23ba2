//! Include a public package of another project, by reference, pinned to a commit.

use auth::actor::ProjectWrite;
use domain::id::{ObjectId, ProjectId};
use domain::object::CommitHash;
use domain::package::PackageRef;
use domain::text::Name;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::includes::{self, NewInclude};
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::includes::IncludeAnswer;
use crate::routes::projects::ProjectPath;

/// The package, by `ref` or by its ids, and where to hang it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateIncludeRequest")]
pub struct Body {
    /// The package as its entry names it: `{projectId}/{packageId}@{commitHash}`. The commit may be left out.
    #[serde(rename = "ref")]
    #[schemars(with = "Option<String>")]
    reference: Option<PackageRef>,
    /// The project that published it; with `packageId`, in place of `ref`.
    project_id: Option<ProjectId>,
    /// The object that was published.
    package_id: Option<ObjectId>,
    /// A commit at which it was published; as it is published on the default branch now unless said.
    commit_hash: Option<CommitHash>,
    /// The object to hang it under.
    parent: ObjectId,
    /// What the object is called; as the package unless said.
    name: Option<Name>,
}

/// Creates an object, uncommitted, that stands for a package of another project.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ProjectPath, NoQuery, Json<Body>>,
) -> Result<Created<IncludeAnswer>> {
    let call = &request.call;
    let new = request.body.0.validate()?;
    let created = app
        .store
        .create_on_branch(call, &request.path.project_id, async |tx, project| {
            includes::create(tx, project, call, &new).await
        })
        .await?;
    Ok(Reply::created(created.map(|include| IncludeAnswer { include })))
}

impl Body {
    fn validate(self) -> Result<NewInclude> {
        let Self { reference, project_id, package_id, commit_hash, parent, name } = self;
        let package = match (reference, project_id, package_id, commit_hash) {
            (Some(reference), None, None, None) => reference,
            (None, Some(project), Some(package), commit) => PackageRef { project, package, commit },
            (Some(_), ..) => {
                return Err(Error::invalid("ref", "alone", "takes no ids and no commit beside it"));
            }
            (None, ..) => {
                let message = "is required unless `projectId` and `packageId` are supplied";
                return Err(Error::invalid("ref", "required", message));
            }
        };
        Ok(NewInclude { package, parent, name })
    }
}
