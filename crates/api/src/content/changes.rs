//! Uncommitted changes.

use domain::content::object::UncommittedChanges;
use domain::content::project::BranchName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::branches::BranchPath;
use crate::{operations, tags};

operations! {
    tag: tags::CHANGES;

    /// Lists the objects that were added, modified and deleted since the branch's last commit, with their states before
    /// and after.
    GetChanges = Get "/api/v2/projects/{projectId}/branches/{branch}/changes" {
        summary: "Read a branch's uncommitted changes",
        path: BranchPath,
        answer: UncommittedChanges,
        effect: Reads,
        tool: Toolbox("project"),
        also: everyday(),
    }

    /// Takes back all uncommitted changes of a branch, or those of some objects. An object whose parent would vanish
    /// can't be kept: `BRANCH_CONFLICT`. Causes the event `objects.changed`.
    DiscardChanges = Delete "/api/v2/projects/{projectId}/branches/{branch}/changes" {
        summary: "Discard uncommitted changes",
        path: BranchPath,
        query: DiscardChangesQuery,
        answer: DiscardChangesResponse,
        effect: Idempotent,
        tool: Toolbox("project"),
        also: conditional(),
    }
}

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
