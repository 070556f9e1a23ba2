//! Definitions of custom fields: made and changed by requests.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

use super::value::canonical;
use super::{CustomField, FIELD_MAX_OPTIONS, FieldOption, FieldScope, FieldStatus, FieldType, NumberUnit};
use crate::content::edit::ObjectType;
use crate::id::{FieldId, FieldOptionId, ProjectId};
use crate::patch::Patch;
use crate::search::fold_case;
use crate::text::{Description, Name};
use crate::time::Timestamp;
use crate::{Error, Result, Rule};

/// A field to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateFieldRequest {
    /// Name, unique regardless of case.
    pub name: Name,
    /// Type of its values; never changes.
    #[serde(rename = "type")]
    pub field_type: FieldType,
    /// Help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// Unit of numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<NumberUnit>,
    /// Names of the options of a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub options: Option<Vec<Name>>,
    /// Value of new cards without one; not of a user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_value: Option<Value>,
    /// True if new cards need a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_required: Option<bool>,
    /// Lowest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub minimum: Option<Number>,
    /// Highest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<f64>")]
    pub maximum: Option<Number>,
    /// True if boards show its values on cards; at most 10 fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_shown: Option<bool>,
    /// Cards, the default, objects or both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applies_to: Option<FieldScope>,
    /// Only objects of this type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_type: Option<ObjectType>,
}

/// The changes; at least one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateFieldRequest {
    /// Name.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub name: Patch<Name>,
    /// Help.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub description: Patch<Description>,
    /// Unit of numbers.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub unit: Patch<NumberUnit>,
    /// All options in their order. One that is left out goes; if cards have it, it is archived.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub options: Patch<Vec<OptionRequest>>,
    /// Value of new cards without one.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub default_value: Patch<Value>,
    /// True if new cards need a value.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub is_required: Patch<bool>,
    /// Lowest number.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(with = "Option<f64>")]
    pub minimum: Patch<Number>,
    /// Highest number.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(with = "Option<f64>")]
    pub maximum: Patch<Number>,
    /// Active or archived.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub status: Patch<FieldStatus>,
    /// True if boards show its values on cards; at most 10 fields.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub is_shown: Patch<bool>,
    /// More than before: cards and objects.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub applies_to: Patch<FieldScope>,
    /// The type of objects, for a field that had no objects; null for all types.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub object_type: Patch<ObjectType>,
}

/// An option, or without an id a new one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OptionRequest {
    /// The option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<FieldOptionId>,
    /// Name.
    pub name: Name,
    /// True if no other card gets it.
    #[serde(default)]
    pub is_archived: bool,
}

impl CreateFieldRequest {
    /// The field that the request describes.
    ///
    /// # Errors
    /// `INVALID_REQUEST` for properties that contradict the type or each other.
    pub fn field(self, project_id: ProjectId, now: Timestamp) -> Result<CustomField> {
        let options = self.options.unwrap_or_default().into_iter();
        let options =
            options.map(|name| FieldOption { id: FieldOptionId::new(now), name, is_archived: false });
        let field = CustomField {
            id: FieldId::new(now),
            project_id,
            name: self.name,
            description: self.description.unwrap_or_default(),
            field_type: self.field_type,
            unit: self.unit.unwrap_or_default(),
            options: options.collect(),
            default_value: None,
            is_required: self.is_required.unwrap_or_default(),
            minimum: self.minimum,
            maximum: self.maximum,
            status: FieldStatus::Active,
            is_shown: self.is_shown.unwrap_or_default(),
            applies_to: self.applies_to.unwrap_or(FieldScope::Cards),
            object_type: self.object_type,
        };
        field.with_default(self.default_value.as_ref())
    }
}

impl UpdateFieldRequest {
    /// The field after the changes.
    ///
    /// # Errors
    /// `INVALID_REQUEST` for properties that contradict the type or each other, and for options that the field doesn't have.
    pub fn changed(self, before: &CustomField, now: Timestamp) -> Result<CustomField> {
        let request = crate::patch::not_empty(self)?;
        let options = match request.options.not_cleared("options")? {
            None => before.options.clone(),
            Some(options) => changed_options(&before.options, options, now)?,
        };
        let default = match request.default_value {
            Patch::Absent => before
                .default_value
                .as_ref()
                .map(serde_json::to_value)
                .transpose()
                .map_err(Error::internal)?,
            Patch::Clear => None,
            Patch::Set(value) => Some(value),
        };
        let field = CustomField {
            id: before.id,
            project_id: before.project_id,
            name: request.name.not_cleared("name")?.unwrap_or_else(|| before.name.clone()),
            description: request
                .description
                .or_cleared(Description::default())
                .unwrap_or_else(|| before.description.clone()),
            field_type: before.field_type,
            unit: request.unit.or_cleared(NumberUnit::default()).unwrap_or_else(|| before.unit.clone()),
            options,
            default_value: None,
            is_required: request.is_required.or_cleared(false).unwrap_or(before.is_required),
            minimum: request.minimum.nullable().unwrap_or_else(|| before.minimum.clone()),
            maximum: request.maximum.nullable().unwrap_or_else(|| before.maximum.clone()),
            status: request.status.or_cleared(FieldStatus::Active).unwrap_or(before.status),
            is_shown: request.is_shown.or_cleared(false).unwrap_or(before.is_shown),
            applies_to: request.applies_to.not_cleared("appliesTo")?.unwrap_or(before.applies_to),
            object_type: request.object_type.nullable().unwrap_or_else(|| before.object_type.clone()),
        };
        field.require_wider(before)?;
        field.with_default(default.as_ref())
    }
}

fn changed_options(
    before: &[FieldOption],
    requests: Vec<OptionRequest>,
    now: Timestamp,
) -> Result<Vec<FieldOption>> {
    let mut named = HashSet::new();
    let options =
        requests.into_iter().enumerate().map(|(position, OptionRequest { id, name, is_archived })| {
            // One that comes back by its name is the same as before.
            let is_known = |known: &&FieldOption| fold_case(known.name.as_str()) == fold_case(name.as_str());
            let again =
                || before.iter().find(is_known).map(|known| known.id).filter(|id| !named.contains(id));
            let id = match id.or_else(again) {
                None => FieldOptionId::new(now),
                Some(id) if !before.iter().any(|known| known.id == id) => {
                    return Err(Error::broken(format!("options[{position}].id"), Rule::Exists));
                }
                Some(id) if !named.insert(id) => {
                    return Err(Error::broken(format!("options[{position}].id"), Rule::Duplicate));
                }
                Some(id) => id,
            };
            Ok(FieldOption { id, name, is_archived })
        });
    Error::all(options)
}

impl CustomField {
    /// The field with this default, if nothing contradicts its type or itself.
    fn with_default(mut self, default: Option<&Value>) -> Result<Self> {
        let is_number = self.field_type == FieldType::Number;
        self.minimum = self.minimum.as_ref().map(canonical);
        self.maximum = self.maximum.as_ref().map(canonical);
        let of_numbers = |is_given: bool, field| match is_given && !is_number {
            true => Err(Error::broken(field, Rule::conflict("type"))),
            false => Ok(()),
        };
        Error::all([
            of_numbers(!self.unit.as_str().is_empty(), "unit"),
            of_numbers(self.minimum.is_some(), "minimum"),
            of_numbers(self.maximum.is_some(), "maximum"),
            self.require_scope(),
            self.require_range(),
            self.require_options(),
        ])?;
        if let Some(default) = default {
            if self.field_type == FieldType::User {
                return Err(Error::broken("defaultValue", Rule::conflict("type")));
            }
            let value = self.value(default, None).map_err(|invalid| invalid.placed("defaultValue"))?;
            self.default_value = Some(value);
        }
        Ok(self)
    }

    /// Refuses a type of objects and a place on boards where the field has none.
    fn require_scope(&self) -> Result<()> {
        if self.object_type.is_some() && !self.applies_to.has_objects() {
            return Err(Error::broken("objectType", Rule::conflict("appliesTo")));
        }
        if self.is_shown && !self.applies_to.has_cards() {
            return Err(Error::broken("isShown", Rule::conflict("appliesTo")));
        }
        Ok(())
    }

    /// Refuses to take the field from cards or objects, which may have values of it.
    fn require_wider(&self, before: &Self) -> Result<()> {
        let (was, is) = (before.applies_to, self.applies_to);
        if (was.has_cards() && !is.has_cards()) || (was.has_objects() && !is.has_objects()) {
            let message = "can't be taken back, because values may exist: archive the field instead";
            return Err(Error::invalid("appliesTo", Rule::State, message));
        }
        let is_kept = self.object_type.is_none() || self.object_type == before.object_type;
        if was.has_objects() && !is_kept {
            let message = "can only be cleared, because objects of other types may have values";
            return Err(Error::invalid("objectType", Rule::State, message));
        }
        Ok(())
    }

    fn require_range(&self) -> Result<()> {
        match (&self.minimum, &self.maximum) {
            (Some(minimum), Some(maximum)) if maximum.as_f64() < minimum.as_f64() => {
                Err(Error::broken("maximum", Rule::Minimum(minimum.clone())))
            }
            _ => Ok(()),
        }
    }

    /// Refuses options that the type doesn't have, too many, and two with one name.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `options`.
    pub fn require_options(&self) -> Result<()> {
        if !self.field_type.has_options() {
            let contradicts = !self.options.is_empty();
            return if contradicts { Err(Error::broken("options", Rule::conflict("type"))) } else { Ok(()) };
        }
        if self.options.is_empty() {
            return Err(Error::broken("options", Rule::MinItems(1)));
        }
        if self.options.len() > FIELD_MAX_OPTIONS {
            return Err(Error::broken("options", Rule::MaxItems(FIELD_MAX_OPTIONS)));
        }
        let mut names = HashSet::new();
        let repeated = self.options.iter().position(|option| !names.insert(fold_case(option.name.as_str())));
        repeated
            .map_or(Ok(()), |position| Err(Error::broken(format!("options[{position}]"), Rule::Duplicate)))
    }
}
