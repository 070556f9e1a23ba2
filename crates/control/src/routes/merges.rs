//! Merging into a branch, and taking back what a commit changed.

pub mod merge;
pub mod revert;

use domain::commit::{CommitMessage, MESSAGE_MAX_CHARS};
use domain::field::FieldPath;
use domain::id::ObjectId;
use domain::merge::{Decision, MergeReport, Resolution};
use domain::object::CommitHash;
use domain::patch::Patch;
use domain::text::Text;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::content::merges::MergeOptions;

/// What was done.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MergeResponse")]
pub struct MergeAnswer {
    /// What was done, or, as a dry run, would be.
    merge: MergeReport,
}

/// How one conflict is decided: by `take`, or by a `value`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "MergeResolution")]
pub struct ResolutionBody {
    /// The object.
    object_id: ObjectId,
    /// The field, as the conflict names it; the whole object where it is empty or absent.
    #[serde(default)]
    field: FieldPath,
    /// Which one to take.
    take: Option<Take>,
    /// What the field is to be; `null` is a value, too.
    #[serde(default)]
    value: Patch<Value>,
}

/// What becomes of a field or an object.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "MergeTake")]
pub enum Take {
    /// What the branch has into which is merged.
    Ours,
    /// What is merged into it.
    Theirs,
    /// Of a whole object: it stays.
    Keep,
    /// Of a whole object: it goes, with all that hangs below it. Of a property in `data`: it goes.
    Delete,
}

/// The options that a request asks for; each is absent where it does not.
struct Asked {
    message: Option<Text<MESSAGE_MAX_CHARS>>,
    expected_head: Option<CommitHash>,
    resolutions: Option<Vec<ResolutionBody>>,
    dry_run: Option<bool>,
}

impl Asked {
    fn validate(self) -> Result<MergeOptions> {
        let resolutions = self.resolutions.unwrap_or_default().into_iter().enumerate();
        Ok(MergeOptions {
            message: self.message.map(|text| CommitMessage::parse("message", text)).transpose()?,
            expected_head: self.expected_head,
            resolutions: resolutions.map(|(index, body)| body.validate(index)).collect::<Result<_>>()?,
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
                return Err(Error::invalid(format!("resolutions[{index}]"), "oneOf", message));
            }
        };
        Ok(Resolution { object_id: self.object_id, field: self.field, decision })
    }
}
