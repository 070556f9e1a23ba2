//! Branches.

use domain::commit::BranchRecord;
use domain::object::CommitHash;
use domain::page::PageMeta;
use domain::project::BranchName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One branch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BranchResponse {
    /// The branch.
    pub branch: BranchRecord,
}

/// A branch to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateBranchRequest {
    /// Name.
    pub name: BranchName,
    /// The branch at whose head the new one starts. Defaults to the default branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_branch: Option<BranchName>,
    /// The commit at which the branch starts, on any branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_commit: Option<CommitHash>,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteBranchResponse {
    /// Always true.
    pub deleted: bool,
    /// The branch's name.
    pub branch: BranchName,
}

/// A page of branches, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListBranchesResponse {
    /// The branches.
    pub branches: Vec<BranchRecord>,
    /// The page.
    pub meta: PageMeta,
}
