//! Public packages of a project.

pub mod get;
pub mod list;
pub mod publish;
pub mod withdraw;

use domain::id::ObjectId;
use domain::package::Package;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use wire::{Endpoint, Resource, delete, get, put};

use crate::app::App;

/// The endpoints of packages.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/packages").with([
        get("", "listPackages", "List a project's public packages", list::handle).tool("project"),
        get("/{packageId}", "getPackage", "Read a public package", get::handle).tool("project"),
        put("/{packageId}", "publishPackage", "Publish a package", publish::handle)
            .conditional()
            .not_a_tool("text that an agent reads must not show content to others"),
        delete("/{packageId}", "withdrawPackage", "Withdraw a public package", withdraw::handle)
            .conditional()
            .not_a_tool("text that an agent reads must not take content from others"),
    ])
}

/// The path of an operation on a package.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackagePath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The published object.
    package_id: ObjectId,
}

/// The state that a package's `ETag` stands for: the package, and the commit whose content is read.
type PackageState<'a> = (&'a Package, &'a str);

/// The state of a package that is read at the commit of its publication.
fn current(package: &Package) -> PackageState<'_> {
    (package, &package.commit_hash)
}
