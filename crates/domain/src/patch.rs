//! A field of a merge patch (docs/api.md, section 1).

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Error, Result, Rule};

/// A change of one field: leave, clear or set. Fields of this type need `#[serde(default)]`. One that can't be cleared has
/// `#[schemars(extend("x-notCleared" = true))]`: documents then show it without `null`, which the handler refuses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Not mentioned: leave the field.
    #[default]
    Absent,
    /// `null`: clear the field.
    Clear,
    /// A value: set the field.
    Set(T),
}

impl<T> Patch<T> {
    /// True if the field is not mentioned. For `#[serde(skip_serializing_if)]`, which fields of this type need.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// The new value of a field that can't be cleared; `None` leaves it.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `field` if the patch clears it.
    pub fn not_cleared(self, field: &str) -> Result<Option<T>> {
        match self {
            Self::Absent => Ok(None),
            Self::Clear => Err(Error::invalid(field, Rule::Required, "can't be cleared")),
            Self::Set(value) => Ok(Some(value)),
        }
    }

    /// The new value of an optional field; `Some(None)` clears it, `None` leaves it.
    pub fn nullable(self) -> Option<Option<T>> {
        match self {
            Self::Absent => None,
            Self::Clear => Some(None),
            Self::Set(value) => Some(Some(value)),
        }
    }

    /// The new value of a field that clearing sets to `empty`; `None` leaves it.
    pub fn or_cleared(self, empty: T) -> Option<T> {
        match self {
            Self::Absent => None,
            Self::Clear => Some(empty),
            Self::Set(value) => Some(value),
        }
    }
}

/// Refuses a patch that changes nothing.
///
/// # Errors
/// `INVALID_REQUEST` if these are the default changes.
pub fn not_empty<C: Default + PartialEq>(changes: C) -> Result<C> {
    if changes == C::default() {
        return Err(Error::invalid("", Rule::MinProperties(1), "must change something"));
    }
    Ok(changes)
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent | Self::Clear => serializer.serialize_none(),
            Self::Set(value) => serializer.serialize_some(value),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::Patch;

    #[derive(Serialize, Deserialize)]
    struct Body {
        #[serde(default, skip_serializing_if = "Patch::is_absent")]
        field: Patch<u32>,
    }

    #[test]
    fn absent_null_and_a_value_are_three_things() {
        let read = |text| serde_json::from_str::<Body>(text).unwrap().field;
        assert_eq!(read("{}"), Patch::Absent);
        assert_eq!(read(r#"{"field":null}"#), Patch::Clear);
        assert_eq!(read(r#"{"field":1}"#), Patch::Set(1));
        assert!(Patch::<u32>::Clear.not_cleared("field").is_err());
        for text in ["{}", r#"{"field":null}"#, r#"{"field":1}"#] {
            assert_eq!(serde_json::to_string(&Body { field: read(text) }).unwrap(), text);
        }
    }
}
