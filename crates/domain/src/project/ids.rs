//! Ids of projects in a query, separated by commas.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::ProjectId;

/// Maximum number of ids.
const PROJECT_IDS_MAX: usize = 50;

/// A list of one to [`PROJECT_IDS_MAX`] ids.
#[derive(Clone, Debug)]
pub struct ProjectIds(pub Vec<ProjectId>);

impl<'de> Deserialize<'de> for ProjectIds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        if text.split(',').nth(PROJECT_IDS_MAX).is_some() {
            let message = format!("invalid length: must name at most {PROJECT_IDS_MAX} projects");
            return Err(D::Error::custom(message));
        }
        let ids: Result<Vec<ProjectId>, _> = text.split(',').map(str::parse).collect();
        ids.map(Self).map_err(|_| D::Error::custom("must be ids of projects, separated by commas"))
    }
}

impl Serialize for ProjectIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ids: Vec<String> = self.0.iter().map(ProjectId::to_string).collect();
        serializer.serialize_str(&ids.join(","))
    }
}

impl JsonSchema for ProjectIds {
    fn schema_name() -> Cow<'static, str> {
        "ProjectIds".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": { "type": "string", "format": "uuid" },
            "minItems": 1,
            "maxItems": PROJECT_IDS_MAX,
        })
    }
}
