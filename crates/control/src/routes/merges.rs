//! Merges into a branch, and reverts of commits.

pub mod merge;
pub mod revert;

use domain::commit::{CommitMessage, MESSAGE_MAX_CHARS};
use domain::field::FieldPath;
use domain::id::ObjectId;
use domain::merge::{Decision, MergeReport, Resolution};
use domain::object::CommitHash;
use domain::patch::Patch;
use domain::text::Text;
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::content::merges::MergeOptions;
use wire::{Endpoint, Resource, post};

use crate::app::App;

/// The endpoints of merges and reverts.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}").with([
        post("/commits/{hash}/revert", "revertCommit", "Revert a commit", revert::handle).tool("project"),
        post("/branches/{branch}/merge", "mergeBranch", "Merge into a branch", merge::handle).tool("project"),
    ])
}

/// The result of a merge or revert.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MergeResponse")]
pub struct MergeAnswer {
    /// The result, or for a dry run the result that the merge would have.
    merge: MergeReport,
}

/// The resolution of one conflict: by `take` or by `value`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "MergeResolution")]
pub struct ResolutionBody {
    /// The object.
    object_id: ObjectId,
    /// The field, as the conflict names it. Empty or absent for the whole object.
    #[serde(default)]
    field: FieldPath,
    /// The side to take.
    take: Option<Take>,
    /// The field's new value; `null` is a value, too.
    #[serde(default)]
    value: Patch<Value>,
}

/// The side that wins a conflict.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "MergeTake")]
pub enum Take {
    /// The state of the target branch.
    Ours,
    /// The state of the source.
    Theirs,
    /// Keep the object.
    Keep,
    /// Remove the object with everything below it, or the property of `data`.
    Delete,
}

/// Options of the request; each is optional.
struct MergeRequestOptions {
    message: Option<Text<MESSAGE_MAX_CHARS>>,
    expected_head: Option<CommitHash>,
    resolutions: Option<Vec<ResolutionBody>>,
    dry_run: Option<bool>,
}

impl MergeRequestOptions {
    fn validate(self) -> Result<MergeOptions> {
        let resolutions = self.resolutions.unwrap_or_default().into_iter().enumerate();
        let resolutions = Error::all(resolutions.map(|(index, body)| body.validate(index)));
        let message = self.message.map(|text| CommitMessage::parse("message", text)).transpose();
        let (message, resolutions) = match (message, resolutions) {
            (Ok(message), Ok(resolutions)) => (message, resolutions),
            (Err(message), Err(resolutions)) => return Err(message.and(resolutions)),
            (Err(error), _) | (_, Err(error)) => return Err(error),
        };
        Ok(MergeOptions {
            message,
            expected_head: self.expected_head,
            resolutions,
            dry_run: self.dry_run.unwrap_or_default(),
        })
    }
}

impl ResolutionBody {
    fn validate(self, index: usize) -> Result<Resolution> {
        let decision = match (self.take, self.value) {
            (Some(Take::Ours), Patch::Absent) => Decision::Ours,
            (Some(Take::Theirs), Patch::Absent) => Decision::Theirs,
            (Some(Take::Keep), Patch::Absent) => Decision::Keep,
            (Some(Take::Delete), Patch::Absent) => Decision::Delete,
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
