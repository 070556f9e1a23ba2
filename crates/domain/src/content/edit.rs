//! Edits of a tree: creations, changes and deletions of objects, and their limits.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::content::object::PROJECT_TYPE;
use crate::id::ObjectId;
use crate::patch::Patch;
use crate::text::Name;
use crate::{Error, Result, Rule};

/// Longest type of an object, in characters.
pub const TYPE_MAX_CHARS: usize = 64;
/// Largest `data` of an object, as compact JSON without its text.
pub const DATA_MAX_BYTES: usize = 256 * 1024;
/// The property that holds the text of a code object.
pub const TEXT: &str = "text";
/// Largest text of a code object, in bytes; the same limit holds for uploads.
pub const TEXT_MAX_BYTES: usize = 1024 * 1024;
/// Deepest nesting of lists and objects in an object's `data`.
pub const DATA_MAX_DEPTH: usize = 32;
/// Most operations of a batch.
pub const BATCH_MAX_OPERATIONS: usize = 10_000;

/// The type of an object that a request creates: a short name, never the project object's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectType(String);

impl ObjectType {
    /// The sanitised form of a type.
    ///
    /// # Errors
    /// The broken rule.
    pub fn parse(text: &str) -> Result<Self, Rule> {
        match Name::sanitize(text) {
            Some(name) if name.as_str().chars().nth(TYPE_MAX_CHARS).is_some() => {
                Err(Rule::MaxLength(TYPE_MAX_CHARS))
            }
            Some(name) if name.as_str() != PROJECT_TYPE => Ok(Self(name.as_str().to_owned())),
            _ => Err(Rule::format("object-type")),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ObjectType {
    /// The type of an object whose request names no type.
    fn default() -> Self {
        Self("Object".to_owned())
    }
}

impl Serialize for ObjectType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ObjectType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ObjectType {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ObjectType".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "maxLength": TYPE_MAX_CHARS, "format": "object-type" })
    }
}

/// One edit of one object.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The operation's number in its batch; `None` outside of batches.
    pub operation: Option<usize>,
    /// The object.
    pub object: ObjectId,
    /// The change.
    pub action: EditAction,
}

impl Edit {
    /// True if it writes properties of the object.
    pub fn writes_data(&self) -> bool {
        match &self.action {
            EditAction::Create(_) => true,
            EditAction::Change(changes, _) => !changes.data.is_absent(),
            EditAction::Delete(_) => false,
        }
    }
}

/// Nests the field of an operation's failure in its batch.
pub fn within_batch(operation: Option<usize>, error: Error) -> Error {
    match operation {
        Some(number) => error.within(&format!("operations[{number}]")),
        None => error,
    }
}

/// A creation, change or deletion.
#[derive(Clone, Debug)]
pub enum EditAction {
    /// Creates the object.
    Create(NewObject),
    /// Changes or moves the object, if `If-Match` holds.
    Change(ObjectChanges, Option<IfMatch>),
    /// Deletes the object and its subtree, if `If-Match` holds.
    Delete(Option<IfMatch>),
}

/// An object to be created.
#[derive(Clone, Debug)]
pub struct NewObject {
    /// Name.
    pub name: Name,
    /// Type.
    pub object_type: ObjectType,
    /// The parent in the tree.
    pub parent: ObjectId,
    /// Custom properties.
    pub data: Map<String, Value>,
}

/// New values of an object's fields; `None` leaves a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectChanges {
    /// Name.
    pub name: Option<Name>,
    /// Type.
    pub object_type: Option<ObjectType>,
    /// The new parent; the subtree moves along.
    pub parent: Option<ObjectId>,
    /// A merge patch of its custom properties (RFC 7396): `null` removes a property.
    pub data: Patch<Map<String, Value>>,
}

/// A precondition on a resource's `ETag`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IfMatch {
    /// `*`: any state.
    Any,
    /// One of these tags, without quotes.
    Tags(Vec<String>),
}

impl IfMatch {
    /// Reads a header: `*`, or a list of tags (quoted, bare or weak).
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `field` if there is no tag: an ignored condition would pass for a checked one.
    pub fn parse(field: &str, text: &str) -> Result<Self> {
        if text.trim() == "*" {
            return Ok(Self::Any);
        }
        let bare = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned();
        let tags = text.split(',').map(str::trim).filter(|tag| !tag.is_empty());
        let tags: Vec<String> = tags.map(bare).collect();
        if tags.is_empty() {
            return Err(Error::invalid(field, Rule::format("entity-tags"), "must be `*` or entity tags"));
        }
        Ok(Self::Tags(tags))
    }

    /// True if a resource with this tag meets the condition.
    pub fn holds(&self, tag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => tags.iter().any(|one| one == tag),
        }
    }
}

/// Checks the size and nesting of custom properties, and that no text has a NUL, which PostgreSQL can't store.
///
/// # Errors
/// `INVALID_REQUEST` at `field`.
pub fn check_data(field: &str, data: &Map<String, Value>) -> Result<()> {
    if data.iter().any(|(key, value)| key.contains('\0') || holds_nul(value)) {
        return Err(Error::broken(field, Rule::format("text")));
    }
    if data.values().map(depth).max().unwrap_or_default() + 1 > DATA_MAX_DEPTH {
        return Err(Error::broken(field, Rule::MaxDepth(DATA_MAX_DEPTH)));
    }
    let text = data.get(TEXT).and_then(Value::as_str);
    if text.is_some_and(|text| text.len() > TEXT_MAX_BYTES) {
        return Err(Error::broken(format!("{field}.{TEXT}"), Rule::MaxBytes(TEXT_MAX_BYTES)));
    }
    let beside: BTreeMap<&String, &Value> =
        data.iter().filter(|(key, _)| text.is_none() || *key != TEXT).collect();
    let bytes = serde_json::to_vec(&beside).map_err(Error::internal)?.len();
    if bytes > DATA_MAX_BYTES {
        let message = format!("must be at most {DATA_MAX_BYTES} bytes of JSON beside `{TEXT}`");
        return Err(Error::invalid(field, Rule::MaxBytes(DATA_MAX_BYTES), message));
    }
    Ok(())
}

/// Merges a patch into properties, level by level (RFC 7396).
pub fn merge(data: &mut Map<String, Value>, patch: Map<String, Value>) {
    for (key, value) in patch {
        match value {
            Value::Null => {
                data.remove(&key);
            }
            Value::Object(patch) => {
                let slot = data.entry(key).or_insert_with(|| Value::Object(Map::new()));
                if !slot.is_object() {
                    *slot = Value::Object(Map::new());
                }
                if let Value::Object(below) = slot {
                    merge(below, patch);
                }
            }
            value => {
                data.insert(key, value);
            }
        }
    }
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(fields) => fields.iter().any(|(key, value)| key.contains('\0') || holds_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The nesting depth of a value. The parser's own limit bounds the recursion.
pub fn depth(value: &Value) -> usize {
    let below = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(fields) => fields.values().map(depth).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    below.unwrap_or_default() + 1
}

#[cfg(test)]
mod tests {
    use super::{DATA_MAX_BYTES, DATA_MAX_DEPTH, IfMatch, TEXT_MAX_BYTES, check_data, merge};
    use serde_json::{Map, Value, json};

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn patches_merge_by_the_examples_of_rfc_7396() {
        // The cases of appendix A in which target and patch are objects.
        for (target, patch, result) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            let mut data = object(target);
            merge(&mut data, object(patch));
            assert_eq!(Value::Object(data), result);
        }
    }

    #[test]
    fn data_is_limited_in_size_and_depth_and_free_of_nul() {
        let nested = |levels: usize| (1..levels).fold(json!({}), |below, _| json!({ "a": below }));
        assert!(check_data("data", &object(nested(DATA_MAX_DEPTH))).is_ok());
        let text = |bytes: usize| json!({ "a": "x".repeat(bytes) });
        assert!(check_data("data", &object(text(DATA_MAX_BYTES - 8))).is_ok());
        let code = |bytes: usize| json!({ "a": "x".repeat(DATA_MAX_BYTES - 8), "text": "x".repeat(bytes) });
        assert!(check_data("data", &object(code(TEXT_MAX_BYTES))).is_ok());
        for bad in [
            nested(DATA_MAX_DEPTH + 1),
            text(DATA_MAX_BYTES),
            code(TEXT_MAX_BYTES + 1),
            json!({ "text": ["x".repeat(DATA_MAX_BYTES)] }),
            json!({ "a\0": 1 }),
            json!({ "a": [{ "b": "\0" }] }),
            json!({ "a": { "\0": 1 } }),
        ] {
            assert!(check_data("data", &object(bad)).is_err());
        }
    }

    #[test]
    fn if_match_takes_a_list_of_tags_or_a_star() {
        for good in ["\"a\"", "a", "W/\"a\"", "\"b\", \"a\"", " * "] {
            assert!(IfMatch::parse("ifMatch", good).unwrap().holds("a"), "{good}");
        }
        for bad in ["\"b\"", "\"\"", "\"ab\""] {
            assert!(!IfMatch::parse("ifMatch", bad).unwrap().holds("a"), "{bad}");
        }
        for unreadable in ["", " ", ", ,"] {
            assert!(IfMatch::parse("ifMatch", unreadable).is_err(), "{unreadable}");
        }
    }
}
