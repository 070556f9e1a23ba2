//! Include a public package of another project, pinned to a commit.

use auth::actor::ProjectWrite;
use domain::id::{ObjectId, ProjectId};
use domain::object::CommitHash;
use domain::package::PackageRef;
use domain::text::Name;
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::includes::{self, NewInclude};
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::includes::IncludeAnswer;
use crate::routes::projects::ProjectPath;

/// The package, by `ref` or by its ids, and its place in the tree.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateIncludeRequest")]
pub struct Body {
    /// The package as `{projectId}/{packageId}@{commitHash}`. The commit is optional.
    #[serde(rename = "ref")]
    #[schemars(with = "Option<String>", extend("format" = "package"))]
    reference: Option<PackageRef>,
    /// The project that published it. With `packageId`, instead of `ref`.
    project_id: Option<ProjectId>,
    /// The published object.
    package_id: Option<ObjectId>,
    /// A commit at which it was published. Defaults to its current publication on the default branch.
    commit_hash: Option<CommitHash>,
    /// The parent object.
    parent: ObjectId,
    /// Name of the object. Defaults to that of the package.
    name: Option<Name>,
}

/// Creates an uncommitted object that represents a package of another project.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ProjectPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<IncludeAnswer>> {
    let call = &request.call;
    let new = request.body.0.validate()?;
    let created = app
        .store
        .create_on_branch(call, &request.path.project_id, async |tx, project| {
            includes::create(tx, project, call, &new).await
        })
        .await?;
    Ok(Reply::created(created.map(|include| IncludeAnswer { include })).etag_of_body())
}

impl Body {
    fn validate(self) -> Result<NewInclude> {
        let Self { reference, project_id, package_id, commit_hash, parent, name } = self;
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
}
