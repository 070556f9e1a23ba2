//! Comparisons of revisions.

use domain::content::compare::{ObjectChange, Point};
use domain::content::object::CommitHash;
use domain::page::{LimitText, PageMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::{operations, tags};

operations! {
    tag: tags::MERGES;

    /// Lists the objects and fields in which two branches or commits differ. With `mergeBase=true`, `head` is compared
    /// with the last common ancestor of both sides, which shows the changes that a merge of it brings. Differences of
    /// more than the service reads at once are `BRANCH_CONFLICT`.
    CompareCommits = Get "/api/v2/projects/{projectId}/compare" {
        summary: "Compare two commits or branches",
        path: ProjectPath,
        query: CompareQuery,
        answer: CompareResponse,
        effect: Reads,
        tool: Toolbox("project"),
    }
}

/// The two sides of the comparison.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompareQuery {
    /// A branch's name, or a commit's hash.
    pub base: Point,
    /// A branch's name, or a commit's hash.
    pub head: Point,
    /// True to compare `head` with the last common ancestor of both sides: the changes that a merge of it brings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge_base: Option<bool>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page. It keeps the commits that the first page compared.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of differences.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompareResponse {
    /// The commit of `base`, or with `mergeBase` the common ancestor; 40 zeros without one.
    pub base_hash: CommitHash,
    /// The commit of `head`; 40 zeros for a branch without commits.
    pub head_hash: CommitHash,
    /// The objects that differ, in a stable order.
    pub objects: Vec<ObjectChange>,
    /// The page.
    pub meta: PageMeta,
}
