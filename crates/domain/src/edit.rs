//! Edits of a tree: what a request creates, changes and deletes, and the limits of it.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::id::ObjectId;
use crate::object::PROJECT_TYPE;
use crate::patch::Patch;
use crate::text::Name;
use crate::{Error, Result};

/// Longest type of an object, in characters.
pub const TYPE_MAX_CHARS: usize = 64;
/// Most bytes of an object's data, as compact JSON, beside its text.
pub const DATA_MAX_BYTES: usize = 256 * 1024;
/// The property that holds the text of a code object.
pub const TEXT: &str = "text";
/// Most bytes of it: as many as an upload makes one of.
pub const TEXT_MAX_BYTES: usize = 1024 * 1024;
/// Deepest nesting of an object's data: lists and objects within each other.
pub const DATA_MAX_DEPTH: usize = 32;
/// Most operations of a batch.
pub const BATCH_MAX_OPERATIONS: usize = 10_000;

/// The type of an object that a request makes: text as a name's, but shorter; never that of the project object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectType(String);

impl ObjectType {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for ObjectType {
    /// The type of an object of which nothing is said.
    fn default() -> Self {
        Self("Object".to_owned())
    }
}

impl<'de> Deserialize<'de> for ObjectType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Name::deserialize(deserializer)?;
        if name.as_str().chars().nth(TYPE_MAX_CHARS).is_some() {
            return Err(serde::de::Error::custom(format!("must be at most {TYPE_MAX_CHARS} characters")));
        }
        if name.as_str() == PROJECT_TYPE {
            return Err(serde::de::Error::custom("is the type of the project object alone"));
        }
        Ok(Self(name.as_str().to_owned()))
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
        json_schema!({ "type": "string", "minLength": 1, "maxLength": TYPE_MAX_CHARS })
    }
}

/// What stands in a request: a whole body, or one of a batch's operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The body.
    Body,
    /// The operation of this number of a batch.
    Operation(usize),
}

impl Place {
    /// The path of a field, as in `body.parent` or `body.operations[3].parent`.
    pub fn field(self, name: &str) -> String {
        format!("{self}.{name}")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body => f.write_str("body"),
            Self::Operation(number) => write!(f, "body.operations[{number}]"),
        }
    }
}

/// One edit of one object.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Where the request says it.
    pub place: Place,
    /// The object.
    pub object: ObjectId,
    /// What is done to it.
    pub action: Action,
}

/// What an edit does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Creates the object.
    Create(NewObject),
    /// Changes or moves it, if it is as expected.
    Change(ObjectChanges, Option<IfMatch>),
    /// Deletes it with everything under it, if it is as expected.
    Delete(Option<IfMatch>),
}

/// An object to be created.
#[derive(Clone, Debug)]
pub struct NewObject {
    /// Name.
    pub name: Name,
    /// Type.
    pub object_type: ObjectType,
    /// The object to hang it under.
    pub parent: ObjectId,
    /// Free properties.
    pub data: Map<String, Value>,
}

/// What to change of an object; `None` leaves alone.
#[derive(Clone, Debug, Default)]
pub struct ObjectChanges {
    /// Name.
    pub name: Option<Name>,
    /// Type.
    pub object_type: Option<ObjectType>,
    /// The object to move it under, with all that hangs under it.
    pub parent: Option<ObjectId>,
    /// Merged into its properties (RFC 7396): `null` takes a property away.
    pub data: Patch<Map<String, Value>>,
}

impl ObjectChanges {
    /// Whether nothing is to be changed.
    pub fn is_empty(&self) -> bool {
        let Self { name, object_type, parent, data } = self;
        name.is_none() && object_type.is_none() && parent.is_none() && data.is_absent()
    }
}

/// A condition on the `ETag` of what is to be changed (`If-Match`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// Whatever it is.
    Any,
    /// One of these tags, without quotes.
    Tags(Vec<String>),
}

impl IfMatch {
    /// The condition of a header's value: a list of tags (quoted, bare or weak), or `*`.
    pub fn parse(text: &str) -> Self {
        if text.trim() == "*" {
            return Self::Any;
        }
        let bare = |tag: &str| {
            let tag = tag.trim();
            tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned()
        };
        Self::Tags(text.split(',').map(bare).collect())
    }

    /// Whether something of this tag meets it.
    pub fn holds(&self, tag: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Tags(tags) => tags.iter().any(|one| one == tag),
        }
    }
}

/// Checks an object's properties: their size, their nesting, and that no text in them holds NUL, which PostgreSQL
/// can't store.
///
/// # Errors
/// `INVALID_REQUEST` at `path`.
pub fn check_data(path: &str, data: &Map<String, Value>) -> Result<()> {
    if data.iter().any(|(key, value)| key.contains('\0') || holds_nul(value)) {
        return Err(Error::invalid(path, "format", "must not contain the character NUL"));
    }
    if data.values().map(depth).max().unwrap_or_default() + 1 > DATA_MAX_DEPTH {
        let message = format!("must be nested at most {DATA_MAX_DEPTH} levels deep");
        return Err(Error::invalid(path, "maxDepth", message));
    }
    let text = data.get(TEXT).and_then(Value::as_str);
    if text.is_some_and(|text| text.len() > TEXT_MAX_BYTES) {
        let message = format!("must be at most {TEXT_MAX_BYTES} bytes");
        return Err(Error::invalid(format!("{path}.{TEXT}"), "maxLength", message));
    }
    let beside: BTreeMap<&String, &Value> =
        data.iter().filter(|(key, _)| text.is_none() || *key != TEXT).collect();
    let bytes = serde_json::to_vec(&beside).map_err(Error::internal)?.len();
    if bytes > DATA_MAX_BYTES {
        let message = format!("must be at most {DATA_MAX_BYTES} bytes of JSON beside `{TEXT}`");
        return Err(Error::invalid(path, "maxLength", message));
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

/// How many lists and objects are within each other; a parser's own limit keeps the recursion short.
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
    fn a_patch_merges_level_by_level_as_the_rfc_says() {
        // The cases of RFC 7396, appendix A, whose both sides are objects.
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
    fn data_is_bounded_and_free_of_nul() {
        let nested = |levels: usize| (1..levels).fold(json!({}), |below, _| json!({ "a": below }));
        assert!(check_data("body.data", &object(nested(DATA_MAX_DEPTH))).is_ok());
        let text = |bytes: usize| json!({ "a": "x".repeat(bytes) });
        assert!(check_data("body.data", &object(text(DATA_MAX_BYTES - 8))).is_ok());
        let code = |bytes: usize| json!({ "a": "x".repeat(DATA_MAX_BYTES - 8), "text": "x".repeat(bytes) });
        assert!(check_data("body.data", &object(code(TEXT_MAX_BYTES))).is_ok());
        for bad in [
            nested(DATA_MAX_DEPTH + 1),
            text(DATA_MAX_BYTES),
            code(TEXT_MAX_BYTES + 1),
            json!({ "text": ["x".repeat(DATA_MAX_BYTES)] }),
            json!({ "a\0": 1 }),
            json!({ "a": [{ "b": "\0" }] }),
            json!({ "a": { "\0": 1 } }),
        ] {
            assert!(check_data("body.data", &object(bad)).is_err());
        }
    }

    #[test]
    fn a_condition_is_a_list_of_tags_or_anything() {
        for good in ["\"a\"", "a", "W/\"a\"", "\"b\", \"a\"", " * "] {
            assert!(IfMatch::parse(good).holds("a"), "{good}");
        }
        for bad in ["\"b\"", "", "\"\"", "\"ab\""] {
            assert!(!IfMatch::parse(bad).holds("a"), "{bad}");
        }
    }
}
