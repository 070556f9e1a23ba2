//! Public packages of a project.

pub mod get;
pub mod publish;
pub mod withdraw;

use domain::id::ObjectId;
use domain::package::Package;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The path of an operation on a package.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackagePath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The object that is published.
    package_id: ObjectId,
}

/// One package.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PackageResponse")]
pub struct PackageAnswer {
    /// The package.
    package: Package,
}
