//! Merges and reverts.

use domain::content::commit::MESSAGE_MAX_CHARS;
use domain::content::compare::Point;
use domain::content::field::FieldPath;
use domain::content::merge::{Decision, MergeReport, Resolution};
use domain::content::object::CommitHash;
use domain::content::project::BranchName;
use domain::id::ObjectId;
use domain::patch::Patch;
use domain::text::Text;
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::branches::BranchPath;
use crate::content::commits::CommitPath;
use crate::operation::Json;
use crate::{operations, tags};

operations! {
    tag: tags::COMMITS;

    /// Applies the inverse of a commit to a branch, as a new commit. `MERGE_CONFLICT`, `BRANCH_CONFLICT`,
    /// `resolutions`, `dryRun` and `expectedHead` are as in `mergeBranch`.
    RevertCommit = Post "/api/v2/projects/{projectId}/commits/{hash}/revert" {
        summary: "Revert a commit",
        path: CommitPath,
        body: Option<Json<RevertRequest>>,
        answer: MergeResponse,
        effect: Changes,
        tool: Toolbox("project"),
    }

    tag: tags::MERGES;

    /// Merges a branch or a commit into a branch by a three-way merge of each field. All conflicts are reported at once
    /// as `MERGE_CONFLICT`; repeat the request with `resolutions`, by `take` or `value`. `dryRun` only computes.
    /// Merging into uncommitted changes, or into another head than `expectedHead`, is `BRANCH_CONFLICT`. The event
    /// `objects.changed` follows.
    MergeBranch = Post "/api/v2/projects/{projectId}/branches/{branch}/merge" {
        summary: "Merge into a branch",
        path: BranchPath,
        body: Json<MergeRequest>,
        answer: MergeResponse,
        effect: Changes,
        tool: Toolbox("project"),
    }
}

/// The result of a merge or revert.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MergeResponse {
    /// The result, or for a dry run the result that the merge would have.
    pub merge: MergeReport,
}

/// The resolution of one conflict: by `take` or by `value`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeResolution {
    /// The object.
    pub object_id: ObjectId,
    /// The field, as the conflict names it. Empty or absent for the whole object.
    #[serde(default)]
    pub field: FieldPath,
    /// The side to take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<MergeTake>,
    /// The field's new value; `null` is a value, too.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub value: Patch<Value>,
}

impl MergeResolution {
    /// The resolution at `index` of the request.
    ///
    /// # Errors
    /// `INVALID_REQUEST` unless it decides by exactly one of `take` and `value`.
    pub fn validate(self, index: usize) -> Result<Resolution> {
        let decision = match (self.take, self.value) {
            (Some(MergeTake::Ours), Patch::Absent) => Decision::Ours,
            (Some(MergeTake::Theirs), Patch::Absent) => Decision::Theirs,
            (Some(MergeTake::Keep), Patch::Absent) => Decision::Keep,
            (Some(MergeTake::Delete), Patch::Absent) => Decision::Delete,
            (None, Patch::Clear) => Decision::Value(Value::Null),
            (None, Patch::Set(value)) => Decision::Value(value),
            (Some(_), _) | (None, Patch::Absent) => {
                let message = "must decide by either `take` or `value`";
                return Err(Error::invalid(
                    format!("resolutions[{index}]"),
                    Rule::conflict("value"),
                    message,
                ));
            }
        };
        Ok(Resolution { object_id: self.object_id, field: self.field, decision })
    }
}

/// The side that wins a conflict.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MergeTake {
    /// The state of the target branch.
    Ours,
    /// The state of the source.
    Theirs,
    /// Keep the object.
    Keep,
    /// Remove the object with everything below it, or the property of `data`.
    Delete,
}

/// The source of the merge, and its options.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeRequest {
    /// A branch's name, or a commit's hash.
    pub source: Point,
    /// Commit message. Defaults to a summary naming both branches. Unused if the branch moves forward.
    #[schemars(extend("format" = "visible-text"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Text<MESSAGE_MAX_CHARS>>,
    /// The expected commit of the branch. Defaults to any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_head: Option<CommitHash>,
    /// Resolutions of conflicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolutions: Option<Vec<MergeResolution>>,
    /// Only compute the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// The target branch and the options; the body is optional.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RevertRequest {
    /// The branch that gets the new commit. Defaults to the branch that `projectId` names, or to the default branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// Commit message. Defaults to a summary naming the reverted commit.
    #[schemars(extend("format" = "visible-text"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Text<MESSAGE_MAX_CHARS>>,
    /// The expected commit of the branch. Defaults to any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_head: Option<CommitHash>,
    /// Resolutions of conflicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolutions: Option<Vec<MergeResolution>>,
    /// Only compute the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}
