//! Values of custom fields: read from JSON by the field's definition.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use url::Url;

use super::{CustomField, FIELD_TEXT_MAX_CHARS, FieldOption, FieldStatus, FieldType, PROJECT_MAX_FIELDS};
use crate::id::{FieldId, FieldOptionId, UserId};
use crate::text::{Text, is_blank};
use crate::time::CalendarDay;
use crate::{Error, Result, Rule};

/// Schemes of addresses.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

/// Longest text that boards show, in characters.
const BOARD_TEXT_MAX_CHARS: usize = 200;

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FieldValue {
    /// A number.
    Number(#[schemars(with = "f64")] Number),
    /// A text, a day, an address, a user's or an option's id.
    Text(String),
    /// Options' ids.
    List(Vec<FieldOptionId>),
}

/// The values of a card's custom fields, by the fields' ids. A field without a value is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct FieldValues(#[schemars(with = "BTreeMap<String, FieldValue>")] BTreeMap<FieldId, FieldValue>);

/// New values of custom fields, by the field's id or name; options by id or name. Null clears.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct FieldInputs(BTreeMap<String, Value>);

impl FieldValues {
    /// The value of a field.
    pub fn get(&self, field: FieldId) -> Option<&FieldValue> {
        self.0.get(&field)
    }

    /// The fields that have a value, with it.
    pub fn iter(&self) -> impl Iterator<Item = (FieldId, &FieldValue)> {
        self.0.iter().map(|(field, value)| (*field, value))
    }

    /// The fields with a value in one of two cards.
    pub(crate) fn fields_with(&self, other: &Self) -> BTreeSet<FieldId> {
        self.0.keys().chain(other.0.keys()).copied().collect()
    }

    /// True for a card without values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The users among the values of `fields`, each with its field.
    pub fn users<'a>(&'a self, fields: &'a [CustomField]) -> impl Iterator<Item = (&'a CustomField, UserId)> {
        let of_users = fields.iter().filter(|field| field.field_type == FieldType::User);
        of_users.filter_map(|field| match self.get(field.id) {
            Some(FieldValue::Text(id)) => Some((field, id.parse().ok()?)),
            _ => None,
        })
    }

    /// The values of `fields` as boards show them: of texts the first 200 characters.
    pub fn on_boards(mut self, fields: &[CustomField]) -> Self {
        self.0.retain(|id, _| fields.iter().any(|field| field.id == *id));
        for value in self.0.values_mut() {
            if let FieldValue::Text(text) = value {
                *text = text.chars().take(BOARD_TEXT_MAX_CHARS).collect();
            }
        }
        self
    }

    /// The values of a new card: those that are given, and the defaults of the others.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `fields.{name}` for values that the fields don't take, and for required fields without one.
    pub fn of_new(fields: &[CustomField], inputs: &FieldInputs) -> Result<Self> {
        let active = || fields.iter().filter(|field| field.status == FieldStatus::Active);
        let defaults = active().filter_map(|field| Some((field.id, field.default_value.clone()?)));
        let values = Self(defaults.collect()).changed(fields, inputs)?;
        let missing = active().filter(|field| field.is_required && values.get(field.id).is_none());
        Error::all(
            missing.map(|field| Err::<(), _>(Error::broken(place(field.name.as_str()), Rule::Required))),
        )?;
        Ok(values)
    }

    /// These values after changes.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `fields.{name}` for values that the fields don't take.
    pub fn changed(&self, fields: &[CustomField], inputs: &FieldInputs) -> Result<Self> {
        if inputs.0.len() > PROJECT_MAX_FIELDS {
            return Err(Error::broken("fields", Rule::MaxProperties(PROJECT_MAX_FIELDS)));
        }
        let mut named = BTreeSet::new();
        let changes = inputs.0.iter().map(|(name, input)| {
            let called = CustomField::called(fields, name);
            let field = called.first().ok_or_else(|| Error::broken(place(name), Rule::Exists))?;
            if !named.insert(field.id) {
                return Err(Error::broken(place(name), Rule::Duplicate));
            }
            field
                .change(self.get(field.id), input)
                .map(|value| (field.id, value))
                .map_err(|broken| broken.at(name))
        });
        let mut values = self.0.clone();
        for (field, value) in Error::all(changes)? {
            match value {
                Some(value) => drop(values.insert(field, value)),
                None => drop(values.remove(&field)),
            }
        }
        Ok(Self(values))
    }
}

impl FieldInputs {
    /// True if no field is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<(String, Value)> for FieldInputs {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(inputs: I) -> Self {
        Self(inputs.into_iter().collect())
    }
}

/// A rule that a value breaks, in its own words or in others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InvalidValue(Rule, Option<&'static str>);

impl InvalidValue {
    /// The failure of the field that a request calls `name`.
    pub(super) fn at(self, name: &str) -> Error {
        self.placed(place(name))
    }

    /// The failure at a place of the request.
    pub(super) fn placed(self, place: impl Into<String>) -> Error {
        match self {
            Self(rule, None) => Error::broken(place, rule),
            Self(rule, Some(message)) => Error::invalid(place, rule, message),
        }
    }
}

impl From<Rule> for InvalidValue {
    fn from(rule: Rule) -> Self {
        Self(rule, None)
    }
}

/// The place of a field in a request. A refusal may be stored, and PostgreSQL stores no NUL.
fn place(name: &str) -> String {
    format!("fields.{}", name.replace('\0', ""))
}

impl FromIterator<(FieldId, FieldValue)> for FieldValues {
    fn from_iter<I: IntoIterator<Item = (FieldId, FieldValue)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl CustomField {
    /// The value that JSON describes, if a new card can have it.
    pub fn fitting(&self, input: &Value) -> Option<FieldValue> {
        self.value(input, None).ok().filter(|_| self.status == FieldStatus::Active)
    }

    /// The value after a change. A card keeps an archived option, and the value of an archived field.
    pub(super) fn change(
        &self,
        before: Option<&FieldValue>,
        input: &Value,
    ) -> Result<Option<FieldValue>, InvalidValue> {
        if input.is_null() && self.is_required && self.status == FieldStatus::Active {
            return Err(InvalidValue(Rule::Required, Some("can't be cleared")));
        }
        if input.is_null() {
            return Ok(None);
        }
        let value = self.value(input, before)?;
        if self.status == FieldStatus::Archived && Some(&value) != before {
            return Err(InvalidValue(Rule::State, Some("is archived: its values can only be cleared")));
        }
        Ok(Some(value))
    }

    /// The value that JSON describes. `before` may have options that are archived.
    pub(super) fn value(
        &self,
        input: &Value,
        before: Option<&FieldValue>,
    ) -> Result<FieldValue, InvalidValue> {
        match self.field_type {
            FieldType::Text => text(input).map(FieldValue::Text),
            FieldType::Url => url(&text(input)?).map(FieldValue::Text),
            FieldType::Number => self.number(input).map(FieldValue::Number),
            FieldType::Date => {
                let day = text(input)?.parse::<CalendarDay>().map_err(|_| Rule::format("date"))?;
                Ok(FieldValue::Text(day.to_string()))
            }
            FieldType::User => {
                let user = text(input)?.parse::<UserId>().map_err(|_| Rule::format("uuid"))?;
                Ok(FieldValue::Text(user.to_string()))
            }
            FieldType::Choice => Ok(FieldValue::Text(self.choice(input, before)?.to_string())),
            FieldType::Choices => {
                let list = input.as_array().ok_or_else(|| Rule::types(["array"]))?;
                let chosen: BTreeSet<FieldOptionId> =
                    list.iter().map(|one| self.choice(one, before)).collect::<Result<_, _>>()?;
                // In the order of the options, so that one choice is one value.
                let options =
                    self.options.iter().map(|one| one.id).filter(|id| chosen.contains(id)).collect();
                match chosen.is_empty() {
                    true => Err(Rule::MinItems(1).into()),
                    false => Ok(FieldValue::List(options)),
                }
            }
        }
    }

    fn number(&self, input: &Value) -> Result<Number, InvalidValue> {
        let Value::Number(number) = input else { return Err(Rule::types(["number"]).into()) };
        let number = canonical(number);
        let below = |a: &Number, b: &Number| a.as_f64() < b.as_f64();
        if let Some(minimum) = self.minimum.as_ref().filter(|minimum| below(&number, minimum)) {
            return Err(Rule::Minimum(minimum.clone()).into());
        }
        if let Some(maximum) = self.maximum.as_ref().filter(|maximum| below(maximum, &number)) {
            return Err(Rule::Maximum(maximum.clone()).into());
        }
        Ok(number)
    }

    fn choice(&self, input: &Value, before: Option<&FieldValue>) -> Result<FieldOptionId, InvalidValue> {
        let name = input.as_str().ok_or_else(|| Rule::types(["string"]))?;
        let kept = |option: &FieldOption| match before {
            Some(FieldValue::Text(id)) => *id == option.id.to_string(),
            Some(FieldValue::List(ids)) => ids.contains(&option.id),
            Some(FieldValue::Number(_)) | None => false,
        };
        match self.option(name) {
            None => Err(InvalidValue(Rule::Exists, Some("must name an option of the field"))),
            Some(option) if option.is_archived && !kept(option) => {
                Err(InvalidValue(Rule::State, Some("names an archived option")))
            }
            Some(option) => Ok(option.id),
        }
    }
}

/// The one form of a number: whole ones are integers as far as these reach. `jsonb` has no other, and no negative zero.
pub(super) fn canonical(number: &Number) -> Number {
    let Some(float) = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0) else {
        return number.clone();
    };
    let digits = format!("{float:.0}");
    let integer =
        digits.parse::<i64>().map(Number::from).or_else(|_| digits.parse::<u64>().map(Number::from));
    integer.unwrap_or_else(|_| number.clone())
}

/// A text that has something to see.
fn text(input: &Value) -> Result<String, InvalidValue> {
    let text = input.as_str().ok_or_else(|| Rule::types(["string"]))?;
    if is_blank(text) {
        return Err(InvalidValue(
            Rule::MinLength(1),
            Some("must contain a visible character; null clears it"),
        ));
    }
    if text.chars().nth(FIELD_TEXT_MAX_CHARS).is_some() {
        return Err(Rule::MaxLength(FIELD_TEXT_MAX_CHARS).into());
    }
    Text::<FIELD_TEXT_MAX_CHARS>::try_from(text.to_owned())
        .map(|text| text.as_str().to_owned())
        .map_err(|_| Rule::format("text").into())
}

/// An address that a browser can open without running anything.
fn url(text: &str) -> Result<String, InvalidValue> {
    let is_address = Url::parse(text).is_ok_and(|url| SCHEMES.contains(&url.scheme()));
    match is_address {
        true => Ok(text.to_owned()),
        false => {
            Err(InvalidValue(Rule::format("uri"), Some("must be an address with http, https or mailto")))
        }
    }
}
