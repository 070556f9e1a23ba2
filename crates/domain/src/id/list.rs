//! Ids in a query, separated by commas.

use std::borrow::Cow;
use std::fmt::Display;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A list of one to `MAX` ids.
#[derive(Clone, Debug)]
pub struct Ids<T, const MAX: usize>(pub Vec<T>);

impl<'de, T: FromStr, const MAX: usize> Deserialize<'de> for Ids<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        if text.split(',').nth(MAX).is_some() {
            return Err(D::Error::custom(format!("invalid length: must name at most {MAX} ids")));
        }
        let ids: Result<Vec<T>, _> = text.split(',').map(str::parse).collect();
        ids.map(Self).map_err(|_| D::Error::custom("must be ids, separated by commas"))
    }
}

impl<T: Display, const MAX: usize> Serialize for Ids<T, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ids: Vec<String> = self.0.iter().map(T::to_string).collect();
        serializer.serialize_str(&ids.join(","))
    }
}

impl<T, const MAX: usize> JsonSchema for Ids<T, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("IdsOfAtMost{MAX}").into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": { "type": "string", "format": "uuid" },
            "minItems": 1,
            "maxItems": MAX,
        })
    }
}
