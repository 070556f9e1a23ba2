//! Names of the fields in which objects are compared and merged.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A JSON Pointer (RFC 6901) into an object's JSON: `/name`, `/data/size/x`. The empty pointer is the whole object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct FieldPath(String);

impl FieldPath {
    /// The object's name.
    pub const NAME: &str = "/name";
    /// The object's type.
    pub const TYPE: &str = "/type";
    /// The object's parent in the tree.
    pub const PARENT: &str = "/parent";
    /// The object's custom properties, each of which merges as a field of its own.
    pub const DATA: &str = "/data";

    /// The object's name.
    pub fn name() -> Self {
        Self(Self::NAME.to_owned())
    }

    /// The object's parent.
    pub fn parent() -> Self {
        Self(Self::PARENT.to_owned())
    }

    /// The object's custom properties.
    pub fn data() -> Self {
        Self(Self::DATA.to_owned())
    }

    /// The member `key` of this field's value.
    #[must_use]
    pub fn child(&self, key: &str) -> Self {
        Self(format!("{}/{}", self.0, key.replace('~', "~0").replace('/', "~1")))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True for the whole object.
    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// True for the custom properties and each of them.
    pub fn is_in_data(&self) -> bool {
        self.is_part_of(Self::DATA)
    }

    /// True for the field `whole` and each part of it.
    pub fn is_within(&self, whole: &Self) -> bool {
        self.is_part_of(&whole.0)
    }

    /// True for a custom property or a part of one.
    pub fn is_below_data(&self) -> bool {
        self.is_in_data() && self.0 != Self::DATA
    }

    fn is_part_of(&self, whole: &str) -> bool {
        self.0.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::FieldPath;

    #[test]
    fn a_key_with_slashes_is_found_by_its_pointer() {
        let path = FieldPath::default().child("data").child("a/b~c").child("");
        assert_eq!(path.as_str(), "/data/a~1b~0c/");
        assert_eq!(json!({ "data": { "a/b~c": { "": 1 } } }).pointer(path.as_str()), Some(&json!(1)));
        assert!(path.is_in_data() && !FieldPath::default().child("database").is_in_data());
        assert!(path.is_within(&FieldPath::default()) && !FieldPath::data().is_within(&path));
    }
}
