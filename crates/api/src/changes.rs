//! Uncommitted changes.

use domain::project::BranchName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The selection of changes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DiscardChangesQuery {
    /// Only the changes of these objects: at most 100 ids, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_ids: Option<String>,
}

/// The result of discarding changes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiscardChangesResponse {
    /// Always true.
    pub deleted: bool,
    /// The branch's name.
    pub branch: BranchName,
    /// Number of objects that were restored to the branch's commit.
    pub discarded_count: usize,
}
