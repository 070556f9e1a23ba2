//! Published packages.

use domain::content::object::{CommitHash, Tree};
use domain::content::package::Package;
use domain::content::project::{BranchName, ProjectRef};
use domain::id::ObjectId;
use domain::page::{LimitText, PageMeta};
use domain::text::Description;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::{operations, tags};

operations! {
    tag: tags::PACKAGES;

    /// Lists the packages that a branch publishes.
    ListPackages = Get "/api/v2/projects/{projectId}/packages" {
        summary: "List a project's public packages",
        path: ProjectPath,
        query: ListPackagesQuery,
        answer: ListPackagesResponse,
        effect: Reads,
        tool: Toolbox("project"),
    }

    /// Answers a published package at its current commit, or at an earlier one by `commitHash`.
    GetPackage = Get "/api/v2/projects/{projectId}/packages/{packageId}" {
        summary: "Read a public package",
        path: PackagePath,
        query: GetPackageQuery,
        answer: GetPackageResponse,
        effect: Reads,
        tool: Toolbox("project"),
    }

    /// Publishes an object of type `Package` as the branch's last commit has it, or a newer state of it. Publishing
    /// gives nobody access: readers of the project read its packages. Uncommitted changes are not part of it.
    PublishPackage = Put "/api/v2/projects/{projectId}/packages/{packageId}" {
        summary: "Publish a package",
        path: PackagePath,
        body: Option<Json<PublishPackageRequest>>,
        answer: PackageResponse,
        effect: Idempotent,
        tool: NotATool("text that an agent reads must not show content to others"),
        also: conditional(),
    }

    /// Ends a publication. Includes that pin it show it as not available.
    WithdrawPackage = Delete "/api/v2/projects/{projectId}/packages/{packageId}" {
        summary: "Withdraw a public package",
        path: PackagePath,
        answer: WithdrawPackageResponse,
        effect: Idempotent,
        tool: NotATool("text that an agent reads must not take content from others"),
        also: conditional(),
    }
}

/// One package.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PackageResponse {
    /// The package.
    pub package: Package,
}

/// The selection of a version.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetPackageQuery {
    /// A commit at which it was published, on any branch. Defaults to the branch's own publication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_hash: Option<CommitHash>,
}

/// The package with its content.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetPackageResponse {
    /// The package as currently published.
    pub package: Package,
    /// Its objects at the requested commit, itself first.
    pub tree: Tree,
}

/// The selection of packages.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListPackagesQuery {
    /// The branch. Defaults to the default branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of a project's public packages, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListPackagesResponse {
    /// The packages.
    pub packages: Vec<Package>,
    /// The page.
    pub meta: PageMeta,
}

/// The package's description; the body is optional.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PublishPackageRequest {
    /// Description. Defaults to an empty text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
}

/// The withdrawn package.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WithdrawPackageResponse {
    /// Always true.
    pub deleted: bool,
    /// The package.
    pub package_id: ObjectId,
}

/// The path of an operation on a package.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PackagePath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The published object.
    pub package_id: ObjectId,
}
