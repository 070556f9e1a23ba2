//! Custom fields: fields of cards and objects that a project defines for itself. JSON names are in snake case, as those of
//! cards.

mod definition;
mod filter;
mod objects;
mod value;

use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::content::edit::ObjectType;
use crate::id::{FieldId, FieldOptionId, ProjectId};
use crate::text::{Description, Name, Text};

pub use definition::{CreateFieldRequest, OptionRequest, UpdateFieldRequest};
pub use filter::{FIELD_FILTER_MAX_FIELDS, FieldCondition, FieldFilters, FieldTest, ValueKey, ValueRange};
pub use objects::{OBJECT_FIELDS, ObjectDefaults, check_decided_fields, check_object_fields};
pub use value::{FieldInputs, FieldValue, FieldValues};

/// Most active fields of a project.
pub const PROJECT_MAX_FIELDS: usize = 50;
/// Most fields of a project with the archived ones.
pub const PROJECT_MAX_ALL_FIELDS: usize = 200;
/// Most active fields of a project that boards show on cards.
pub const PROJECT_MAX_SHOWN_FIELDS: usize = 10;
/// Most options of a field, with the archived ones.
pub const FIELD_MAX_OPTIONS: usize = 200;
/// Longest text or address, in characters.
pub const FIELD_TEXT_MAX_CHARS: usize = 1_000;

/// The unit of a number, for example `kg`.
pub type NumberUnit = Text<20>;

/// A field of cards that a project defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CustomField {
    /// Id.
    pub id: FieldId,
    /// Its project.
    pub project_id: ProjectId,
    /// Name, unique regardless of case.
    pub name: Name,
    /// Help.
    pub description: Description,
    /// Type of its values; never changes.
    #[serde(rename = "type")]
    pub field_type: FieldType,
    /// Unit of numbers.
    pub unit: NumberUnit,
    /// Options of a choice.
    pub options: Vec<FieldOption>,
    /// Value of new cards without one.
    pub default_value: Option<FieldValue>,
    /// True if new cards need a value.
    pub is_required: bool,
    /// Lowest number.
    #[schemars(with = "Option<f64>")]
    pub minimum: Option<Number>,
    /// Highest number.
    #[schemars(with = "Option<f64>")]
    pub maximum: Option<Number>,
    /// Active or archived.
    pub status: FieldStatus,
    /// True if boards show its values on cards.
    // Answers that idempotency keys keep may be older.
    #[serde(default)]
    #[schemars(!default)]
    pub is_shown: bool,
    /// Cards, objects or both.
    #[serde(default = "FieldScope::cards")]
    #[schemars(!default)]
    pub applies_to: FieldScope,
    /// The only type of objects that have values.
    #[serde(default)]
    #[schemars(!default)]
    pub object_type: Option<ObjectType>,
}

/// An option of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldOption {
    /// Id.
    pub id: FieldOptionId,
    /// Name.
    pub name: Name,
    /// True if no other card gets it.
    pub is_archived: bool,
}

/// Declares an enumeration whose names in JSON, in the database and in Rust are one list.
macro_rules! names {
    ($(#[$doc:meta])+ $type:ident { $($(#[$variant_doc:meta])+ $variant:ident = $name:literal,)+ }) => {
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $type {
            $($(#[$variant_doc])+ #[serde(rename = $name)] $variant,)+
        }

        impl $type {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }

        impl FromStr for $type {
            type Err = &'static str;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().copied().find(|one| one.as_str() == text);
                found.ok_or(concat!("must be one of: ", $($name, " "),+))
            }
        }

        impl JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": [$($name),+] })
            }
        }
    };
}

names! {
    /// The type of a field's values.
    FieldType {
        /// A line or more of text.
        Text = "text",
        /// A number.
        Number = "number",
        /// A day.
        Date = "date",
        /// One of the options.
        Choice = "choice",
        /// Several of the options.
        Choices = "choices",
        /// A user with access to the project.
        User = "user",
        /// A web or mail address.
        Url = "url",
    }
}

names! {
    /// The state of a field.
    FieldStatus {
        /// Cards get values of it.
        Active = "active",
        /// Cards keep their values, and get no others.
        Archived = "archived",
    }
}

names! {
    /// The things that have values of a field.
    FieldScope {
        /// Cards alone.
        Cards = "cards",
        /// Objects alone.
        Objects = "objects",
        /// Cards and objects.
        Both = "both",
    }
}

impl FieldScope {
    /// That of fields from before there was another.
    fn cards() -> Self {
        Self::Cards
    }

    /// True if cards have values.
    pub fn has_cards(self) -> bool {
        self != Self::Objects
    }

    /// True if objects have values.
    pub fn has_objects(self) -> bool {
        self != Self::Cards
    }
}

impl FieldType {
    /// True if its values are options.
    pub fn has_options(self) -> bool {
        matches!(self, Self::Choice | Self::Choices)
    }
}

impl CustomField {
    /// True if boards show its values.
    pub fn is_on_boards(&self) -> bool {
        self.is_shown && self.status == FieldStatus::Active
    }

    /// True if objects of a type have values.
    pub fn is_of_objects(&self, object_type: &str) -> bool {
        let is_of_type = self.object_type.as_ref().is_none_or(|own| own.as_str() == object_type);
        self.applies_to.has_objects() && is_of_type
    }

    /// The fields that `name` means: the one with this id, else those with this name, regardless of case.
    pub fn called<'a>(fields: &'a [Self], name: &str) -> Vec<&'a Self> {
        let id: Option<FieldId> = name.parse().ok();
        if let Some(field) = fields.iter().find(|field| Some(field.id) == id) {
            return vec![field];
        }
        let name = crate::search::fold_case(name);
        fields.iter().filter(|field| crate::search::fold_case(field.name.as_str()) == name).collect()
    }

    /// The names of the options that a value names, in its order.
    pub fn option_names(&self, value: &FieldValue) -> Vec<&str> {
        let name = |id: FieldOptionId| Some(self.options.iter().find(|one| one.id == id)?.name.as_str());
        match value {
            FieldValue::Text(id) => id.parse().ok().and_then(name).into_iter().collect(),
            FieldValue::List(ids) => ids.iter().filter_map(|id| name(*id)).collect(),
            FieldValue::Number(_) => Vec::new(),
        }
    }

    /// The option with this id or name.
    fn option(&self, name: &str) -> Option<&FieldOption> {
        let by_id =
            name.parse().ok().and_then(|id: FieldOptionId| self.options.iter().find(|one| one.id == id));
        by_id.or_else(|| self.options.iter().find(|one| one.name.as_str() == name))
    }
}
