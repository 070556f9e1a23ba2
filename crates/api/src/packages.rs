//! Published packages.

use domain::id::ObjectId;
use domain::object::{CommitHash, Tree};
use domain::package::Package;
use domain::page::{LimitText, PageMeta};
use domain::project::BranchName;
use domain::text::Description;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
