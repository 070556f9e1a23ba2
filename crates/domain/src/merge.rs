//! What merging two lines of commits needs and says: what conflicts, and how a conflict is decided.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::edit::{ObjectType, check_data};
use crate::field::FieldPath;
use crate::id::ObjectId;
use crate::object::CommitHash;
use crate::text::Name;
use crate::{Error, Result};

/// What came of a merge or a revert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum MergeStatus {
    /// The branch has it all already: nothing was done.
    UpToDate,
    /// The branch had nothing of its own, and is now at the commit that was merged.
    FastForward,
    /// The branch is at a new commit.
    Merged,
}

/// What a merge or a revert did, or, as a dry run, would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MergeReport {
    /// What came of it.
    pub status: MergeStatus,
    /// Whether it was only tried: nothing has changed then.
    pub dry_run: bool,
    /// The commit that the branch is at now.
    pub commit_hash: CommitHash,
    /// The commit that the branch was at before.
    pub previous_hash: CommitHash,
    /// The common ancestor against which both sides were compared; 40 zeros where there is none. Of a revert, the commit
    /// that was reverted.
    pub base_hash: CommitHash,
    /// The commit that was merged. Of a revert, the one before the commit that was reverted.
    pub source_hash: CommitHash,
}

/// Why two sides can't both have what they changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MergeConflictKind")]
pub enum ConflictKind {
    /// Both changed the field, differently.
    Field,
    /// One deleted the object, the other changed it.
    Deleted,
    /// One deleted the object, the other has something below it that the first did not delete.
    DeletedParent,
    /// What the two moved hangs below itself.
    Cycle,
}

/// What can't be merged without being decided. What a side does not have is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "MergeConflict")]
pub struct Conflict {
    /// The object.
    pub object_id: ObjectId,
    /// The field, as a JSON Pointer into the object; empty for the whole of it.
    pub field: FieldPath,
    /// Why.
    pub kind: ConflictKind,
    /// What both sides began with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Value>,
    /// What the branch has into which is merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ours: Option<Value>,
    /// What is merged into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theirs: Option<Value>,
}

/// How one conflict is decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolution {
    /// The object.
    pub object_id: ObjectId,
    /// The field.
    pub field: FieldPath,
    /// What becomes of it.
    pub decision: Decision,
}

/// What becomes of a field, or of an object, about which two sides differ.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// What the branch has into which is merged.
    Ours,
    /// What is merged into it.
    Theirs,
    /// Of a whole object: it stays, as the side has it that did not delete it.
    Keep,
    /// Of a whole object: it goes, with all that hangs below it. Of a property in `data`: it goes.
    Delete,
    /// Of a field: this value.
    Value(Value),
}

impl Resolution {
    /// The decision as its field takes it: a value is what an edit would make of it. `path` is where the request has it.
    ///
    /// # Errors
    /// `INVALID_REQUEST` where the field can't take it.
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
        Err(Error::invalid(path, "format", problem))
    }
}

/// A value as the field stores it.
fn field_value(path: &str, field: &FieldPath, value: &Value) -> Result<Value> {
    let refused = |problem| Error::invalid(path, "format", problem);
    match field.as_str() {
        FieldPath::NAME => {
            let name = Name::deserialize(value).map_err(|_| refused("must be a name"))?;
            Ok(Value::from(name.as_str()))
        }
        FieldPath::TYPE => {
            let object_type = ObjectType::deserialize(value).map_err(|_| refused("must be a type"))?;
            Ok(Value::from(object_type.as_str()))
        }
        FieldPath::PARENT => {
            let parent = ObjectId::deserialize(value).map_err(|_| refused("must be an object's id"))?;
            Ok(Value::from(parent.to_string()))
        }
        _ if field.is_below_data() => {
            check_data(path, &Map::from_iter([("value".to_owned(), value.clone())]))?;
            Ok(value.clone())
        }
        // Made by uploads or inclusions alone: one that a client made up would name what is not there, or another's.
        _ => Err(refused("takes no value: decide for one of the sides")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::{Decision, Resolution};
    use crate::field::FieldPath;
    use crate::id::ObjectId;

    #[test]
    fn a_decision_must_be_one_that_its_field_can_take() {
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
        for made_by_uploads in ["/file", "/kind", "/include", "/id", ""] {
            assert!(!value(made_by_uploads, json!({})), "{made_by_uploads}");
        }
    }
    #[test]
    fn a_value_is_what_an_edit_would_make_of_it() {
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
