//! Merges of two lines of commits: reports, conflicts and their resolutions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::content::edit::{ObjectType, check_data};
use crate::content::field::FieldPath;
use crate::content::git_name::check_name;
use crate::content::object::CommitHash;
use crate::id::ObjectId;
use crate::text::Name;
use crate::{Error, Result, Rule};

/// The outcome of a merge or a revert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MergeStatus {
    /// The branch already had all changes.
    UpToDate,
    /// The branch had no changes of its own and moved to the merged commit.
    FastForward,
    /// The branch moved to a new commit.
    Merged,
}

/// The result of a merge or a revert, or of its dry run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeReport {
    /// Outcome.
    pub status: MergeStatus,
    /// True for a dry run, which changes nothing.
    pub dry_run: bool,
    /// The branch's commit now.
    pub commit_hash: CommitHash,
    /// The branch's commit before.
    pub previous_hash: CommitHash,
    /// The common ancestor of both sides; 40 zeros if they have none. For a revert, the reverted commit.
    pub base_hash: CommitHash,
    /// The merged commit. For a revert, the parent of the reverted commit.
    pub source_hash: CommitHash,
}

/// The kind of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MergeConflictKind")]
pub enum ConflictKind {
    /// Both sides changed the field differently.
    Field,
    /// One side deleted the object, the other changed it.
    Deleted,
    /// One side deleted the object, the other added or moved an object below it.
    DeletedParent,
    /// The moves of both sides form a cycle.
    Cycle,
}

/// A conflict to resolve. A side without the field is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MergeConflict")]
pub struct Conflict {
    /// The object.
    pub object_id: ObjectId,
    /// The field, as a JSON Pointer into the object; empty for the whole object.
    pub field: FieldPath,
    /// Kind.
    pub kind: ConflictKind,
    /// Value in the common ancestor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Value>,
    /// Value in the target branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours: Option<Value>,
    /// Value in the merged commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs: Option<Value>,
}

/// The resolution of one conflict.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolution {
    /// The object.
    pub object_id: ObjectId,
    /// The field.
    pub field: FieldPath,
    /// The decision.
    pub decision: Decision,
}

/// The choice for a field or an object in conflict.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Take the target branch's value.
    Ours,
    /// Take the merged commit's value.
    Theirs,
    /// Keep a whole object, as on the side that did not delete it.
    Keep,
    /// Delete a whole object with its subtree, or a property in `data`.
    Delete,
    /// Set the field to this value.
    Value(Value),
}

impl Resolution {
    /// Checks the decision and normalises its value as an edit would. `path` locates the resolution in the input.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if the field does not allow the decision.
    pub fn decision(&self, path: &str) -> Result<Decision> {
        let field = &self.field;
        let problem = match &self.decision {
            Decision::Keep if !field.is_whole() => "only a whole object is kept",
            Decision::Delete if !field.is_whole() && !field.is_below_data() => {
                "only a whole object or a property in `data` is deleted"
            }
            Decision::Value(value) => return field_value(path, field, value).map(Decision::Value),
            decision => return Ok(decision.clone()),
        };
        Err(Error::invalid(path, Rule::conflict("field"), problem))
    }
}

/// Normalises a value for its field.
fn field_value(path: &str, field: &FieldPath, value: &Value) -> Result<Value> {
    let refused = |format| Error::broken(format!("{path}.value"), Rule::format(format));
    match field.as_str() {
        FieldPath::NAME => {
            let name = Name::deserialize(value).map_err(|_| refused("name"))?;
            check_name(format!("{path}.value"), &name)?;
            Ok(Value::from(name.as_str()))
        }
        FieldPath::TYPE => {
            let text = value.as_str().ok_or_else(|| refused("object-type"))?;
            let object_type = ObjectType::parse(text);
            let object_type = object_type.map_err(|rule| Error::broken(format!("{path}.value"), rule))?;
            Ok(Value::from(object_type.as_str()))
        }
        FieldPath::PARENT => {
            let parent = ObjectId::deserialize(value).map_err(|_| refused("uuid"))?;
            Ok(Value::from(parent.to_string()))
        }
        _ if field.is_below_data() => {
            check_data(path, &Map::from_iter([("value".to_owned(), value.clone())]))?;
            Ok(value.clone())
        }
        // Only uploads and includes write the other fields: a client's value could refer to files that are absent or
        // another project's.
        _ => {
            let message = "takes no value: decide for one of the sides";
            Err(Error::invalid(path, Rule::conflict("field"), message))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::{Decision, Resolution};
    use crate::content::field::FieldPath;
    use crate::id::ObjectId;

    #[test]
    fn a_decision_must_fit_its_field() {
        let check = |field: &str, decision: Decision| {
            let field: FieldPath = serde_json::from_value(json!(field)).unwrap();
            Resolution { object_id: ObjectId(Uuid::nil()), field, decision }.decision("body").is_ok()
        };
        for good in ["", "/name", "/file", "/data/a"] {
            assert!(check(good, Decision::Ours) && check(good, Decision::Theirs), "{good}");
        }
        assert!(check("", Decision::Keep) && !check("/name", Decision::Keep));
        assert!(check("", Decision::Delete) && check("/data/a", Decision::Delete));
        assert!(!check("/data", Decision::Delete) && !check("/name", Decision::Delete));
        let value = |field: &str, value| check(field, Decision::Value(value));
        assert!(value("/name", json!("Gear")) && !value("/name", json!(" ")) && !value("/name", json!(1)));
        assert!(value("/type", json!("Part")) && !value("/type", json!("")));
        assert!(value("/parent", json!(Uuid::nil())) && !value("/parent", json!("x")));
        assert!(value("/data/a/b", json!(null)) && !value("/data", json!({})));
        assert!(!value("/data/a", json!("\0")));
        assert!(!value("/type", json!("Part".repeat(17))));
        for made_by_uploads in ["/file", "/kind", "/include", "/id", ""] {
            assert!(!value(made_by_uploads, json!({})), "{made_by_uploads}");
        }
    }
    #[test]
    fn values_are_normalised_as_edits_are() {
        let decided = |field: &str, value: serde_json::Value| {
            let field: FieldPath = serde_json::from_value(json!(field)).unwrap();
            let decision = Decision::Value(value);
            Resolution { object_id: ObjectId(Uuid::nil()), field, decision }.decision("body").unwrap()
        };
        assert_eq!(decided("/type", json!("Pa\0rt")), Decision::Value(json!("Part")));
        assert_eq!(decided("/name", json!("  Gear \n wheel ")), Decision::Value(json!("Gear wheel")));
        assert_eq!(
            decided("/type", json!(format!("Part{}", " ".repeat(300_000)))),
            Decision::Value(json!("Part"))
        );
    }
}
