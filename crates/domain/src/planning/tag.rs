//! Card tags of a project.

use std::borrow::Cow;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::id::{ProjectId, TagId};
use crate::text::{Description, Name};

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CardTag")]
pub struct TagRecord {
    /// Id.
    pub id: TagId,
    /// Name, unique in its project without regard to case.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Color.
    pub color: Color,
    /// Active or archived.
    pub status: TagStatus,
    /// Its project.
    pub project_id: ProjectId,
    /// Number of cards that have it.
    pub card_count: i64,
}

/// The state of a tag.
// docs/api.md, section 5
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TagStatus {
    /// Can be put on cards.
    #[default]
    Active,
    /// Stays on its cards; can't be put on others.
    Archived,
}

impl TagStatus {
    /// The status' name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archived => "archived",
        }
    }
}

/// A color as `#RRGGBB`, in upper case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Color(String);

impl Color {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Color {
    /// Gray.
    fn default() -> Self {
        Self("#808080".to_owned())
    }
}

impl FromStr for Color {
    type Err = InvalidColor;

    fn from_str(text: &str) -> Result<Self, InvalidColor> {
        let digits = text.strip_prefix('#').ok_or(InvalidColor)?;
        let valid = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        if valid { Ok(Self(text.to_ascii_uppercase())) } else { Err(InvalidColor) }
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Color {
    fn schema_name() -> Cow<'static, str> {
        "Color".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^#[0-9A-Fa-f]{6}$" })
    }
}

/// The text is not a color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a color as #RRGGBB")]
pub struct InvalidColor;
