//! Filters of cards by their custom fields: JSON in one parameter, `{"Weight": {"from": 2}, "Material": ["steel", null]}`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Number, Value, json};

use super::{CustomField, FieldType, FieldValue};
use crate::id::{FieldId, UserId};
use crate::{Error, Result, Rule};

/// Most fields of a filter.
pub const FIELD_FILTER_MAX_FIELDS: usize = 5;
/// Most values of a field in a filter.
const MAX_VALUES: usize = 50;
/// Characters of a text that filters compare, which an index holds.
const INDEXED_CHARS: usize = 200;

/// Tests of custom fields, all of which a card must pass: by field's id or name, a value, a list of which the card must have
/// one, `{"from", "to"}` or `{"not": [...]}`. Null is no value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldFilters(BTreeMap<String, FieldTest>);

/// The test of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldTest {
    /// The card has one of these values.
    AnyOf(Vec<Value>),
    /// The card has none of these values.
    NoneOf(Vec<Value>),
    /// The card's number or day is in this range, bounds included.
    Range(Option<Value>, Option<Value>),
}

/// The test of fields as the index of values reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldCondition {
    /// The fields: one of a project, or those with the same name in several.
    pub fields: Vec<FieldId>,
    /// Values of which the card must have one; in a negated test, must have none.
    pub values: Vec<ValueKey>,
    /// True if a card without a value passes; in a negated test, doesn't pass.
    pub or_none: bool,
    /// A range, instead of values.
    pub range: Option<ValueRange>,
    /// True for the opposite of all this.
    pub is_negated: bool,
}

/// A value as its index holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ValueKey {
    /// A number.
    Number(Number),
    /// The beginning of a text.
    Text(String),
}

/// A range of values, bounds included.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueRange {
    /// Of numbers.
    Numbers(Option<Number>, Option<Number>),
    /// Of days.
    Days(Option<String>, Option<String>),
}

impl FieldFilters {
    /// True if no field is tested.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The ids and names of the fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The conditions, by the definitions of one or several projects.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `fields.{name}` if no project has the field, or none of those that do takes the value.
    pub fn conditions(&self, fields: &[CustomField]) -> Result<Vec<FieldCondition>> {
        let conditions = self.0.iter().map(|(name, test)| {
            let place = || format!("fields.{name}");
            let called = CustomField::called(fields, name);
            let read: Vec<Result<FieldCondition>> =
                called.iter().map(|field| test.condition(field, place())).collect();
            let mut refusal = Error::broken(place(), Rule::Exists);
            let mut merged: Option<FieldCondition> = None;
            for condition in read {
                match (condition, &mut merged) {
                    (Ok(condition), None) => merged = Some(condition),
                    (Ok(condition), Some(merged)) => merged.merge(condition),
                    (Err(error), _) => refusal = error,
                }
            }
            let mut merged = merged.ok_or(refusal)?;
            // A project whose field doesn't know the value has cards with and without another one.
            merged.fields = called.iter().map(|field| field.id).collect();
            Ok(merged)
        });
        Error::all(conditions)
    }
}

impl FieldTest {
    fn condition(&self, field: &CustomField, place: String) -> Result<FieldCondition> {
        let key = |value: &Value| {
            field.key(value).ok_or_else(|| Error::invalid(&place, Rule::Type(Vec::new()), field.wanted()))
        };
        let of = |values: &[Value], is_negated| {
            let given = values.iter().filter(|value| !value.is_null());
            Ok(FieldCondition {
                fields: vec![field.id],
                values: given.map(key).collect::<Result<_>>()?,
                or_none: values.iter().any(Value::is_null),
                range: None,
                is_negated,
            })
        };
        match self {
            Self::AnyOf(values) => of(values, false),
            Self::NoneOf(values) => of(values, true),
            Self::Range(from, to) => {
                let bounds = [from.as_ref().map(key).transpose()?, to.as_ref().map(key).transpose()?];
                let range = match field.field_type {
                    FieldType::Number => {
                        let [from, to] = bounds.map(|bound| bound.and_then(|bound| bound.number()));
                        ValueRange::Numbers(from, to)
                    }
                    FieldType::Date => {
                        let [from, to] = bounds.map(|bound| bound.and_then(|bound| bound.text()));
                        ValueRange::Days(from, to)
                    }
                    _ => {
                        let message = "takes no range: only numbers and days do";
                        return Err(Error::invalid(place, Rule::conflict("type"), message));
                    }
                };
                Ok(FieldCondition { range: Some(range), ..of(&[], false)? })
            }
        }
    }
}

impl FieldCondition {
    /// Adds the values of another project's field of the same name.
    fn merge(&mut self, other: Self) {
        for value in other.values {
            if !self.values.contains(&value) {
                self.values.push(value);
            }
        }
        self.range = self.range.take().or(other.range);
    }
}

impl ValueKey {
    fn number(self) -> Option<Number> {
        match self {
            Self::Number(number) => Some(number),
            Self::Text(_) => None,
        }
    }

    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) => None,
        }
    }
}

impl FieldValue {
    /// The key by which cards with this value are sorted. Of several options it is the first.
    pub fn sort_key(&self) -> Option<ValueKey> {
        match self {
            Self::Number(number) => Some(ValueKey::Number(number.clone())),
            Self::Text(text) => Some(ValueKey::Text(text.chars().take(INDEXED_CHARS).collect())),
            Self::List(options) => options.first().map(|option| ValueKey::Text(option.to_string())),
        }
    }
}

impl CustomField {
    /// The key of a value that a card may have had at any time. Today's bounds don't count.
    fn key(&self, value: &Value) -> Option<ValueKey> {
        match (self.field_type, value) {
            (FieldType::Number, Value::Number(number)) => Some(ValueKey::Number(number.clone())),
            (FieldType::Choice | FieldType::Choices, Value::String(name)) => {
                self.option(name).map(|option| ValueKey::Text(option.id.to_string()))
            }
            (FieldType::Date, Value::String(day)) => {
                day.parse().ok().map(|day: crate::time::CalendarDay| ValueKey::Text(day.to_string()))
            }
            (FieldType::User, Value::String(id)) => {
                id.parse().ok().map(|user: UserId| ValueKey::Text(user.to_string()))
            }
            (FieldType::Text | FieldType::Url, Value::String(text)) => {
                Some(ValueKey::Text(text.chars().take(INDEXED_CHARS).collect()))
            }
            _ => None,
        }
    }

    fn wanted(&self) -> &'static str {
        match self.field_type {
            FieldType::Number => "must be a number, or null for no value",
            FieldType::Date => "must be a day, or null for no value",
            FieldType::Choice | FieldType::Choices => "must name an option, or null for no value",
            FieldType::User => "must be the id of a user, or null for no value",
            FieldType::Text | FieldType::Url => "must be a text, or null for no value",
        }
    }
}

/// The text is not a filter of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be JSON as {{\"Weight\": {{\"from\": 2}}}}: for at most {FIELD_FILTER_MAX_FIELDS} fields a value, a list of at most \
     {MAX_VALUES}, `from` and `to`, or `not`"
)]
pub struct InvalidFieldFilter;

impl FromStr for FieldFilters {
    type Err = InvalidFieldFilter;

    fn from_str(text: &str) -> Result<Self, InvalidFieldFilter> {
        let tests: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|_| InvalidFieldFilter)?;
        if tests.len() > FIELD_FILTER_MAX_FIELDS {
            return Err(InvalidFieldFilter);
        }
        let tests = tests.into_iter().map(|(name, test)| Some((name, FieldTest::read(test)?)));
        tests.collect::<Option<_>>().map(Self).ok_or(InvalidFieldFilter)
    }
}

impl FieldTest {
    fn read(test: Value) -> Option<Self> {
        let Value::Object(mut members) = test else { return values(test).map(Self::AnyOf) };
        let not = members.remove("not");
        let bounds = [members.remove("from"), members.remove("to")];
        match (not, bounds) {
            _ if !members.is_empty() => None,
            (Some(not), [None, None]) => values(not).map(Self::NoneOf),
            (None, [None, None]) | (Some(_), _) => None,
            (None, bounds) if bounds.iter().flatten().all(is_number_or_text) => {
                let [from, to] = bounds;
                Some(Self::Range(from, to))
            }
            (None, _) => None,
        }
    }

    fn written(&self) -> Value {
        match self {
            Self::AnyOf(values) => json!(values),
            Self::NoneOf(values) => json!({ "not": values }),
            Self::Range(from, to) => {
                let bounds = [("from", from), ("to", to)].into_iter();
                let bounds = bounds.filter_map(|(name, bound)| Some((name.to_owned(), bound.clone()?)));
                Value::Object(bounds.collect())
            }
        }
    }
}

/// True for values that a field may have. PostgreSQL takes no NUL.
fn is_number_or_text(value: &Value) -> bool {
    value.is_number() || value.as_str().is_some_and(|text| !text.contains('\0'))
}

/// The values of a list, or the one value.
fn values(written: Value) -> Option<Vec<Value>> {
    let values = match written {
        Value::Array(values) => values,
        value => vec![value],
    };
    let are_scalars = values.iter().all(|value| value.is_null() || is_number_or_text(value));
    ((1..=MAX_VALUES).contains(&values.len()) && are_scalars).then_some(values)
}

impl fmt::Display for FieldFilters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tests: Map<String, Value> =
            self.0.iter().map(|(name, test)| (name.clone(), test.written())).collect();
        Value::Object(tests).fmt(f)
    }
}

impl Serialize for FieldFilters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FieldFilters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for FieldFilters {
    fn schema_name() -> Cow<'static, str> {
        "FieldFilters".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "field-filters" })
    }
}

#[cfg(test)]
mod tests {
    use super::FieldFilters;

    #[test]
    fn a_filter_is_json_with_tests_of_at_most_five_fields() {
        let read = |text: &str| text.parse::<FieldFilters>().map(|filters| filters.to_string());
        for (written, again) in [
            (r#"{"Weight":{"from":2,"to":3.5}}"#, r#"{"Weight":{"from":2,"to":3.5}}"#),
            (r#"{"Weight":2}"#, r#"{"Weight":[2]}"#),
            (r#"{"A":["x",null],"B":{"not":null}}"#, r#"{"A":["x",null],"B":{"not":[null]}}"#),
            ("{}", "{}"),
        ] {
            assert_eq!(read(written).as_deref(), Ok(again));
            assert_eq!(read(again).as_deref(), Ok(again));
        }
        let many: Vec<String> = (0..6).map(|n| format!(r#""{n}":1"#)).collect();
        let many = format!("{{{}}}", many.join(","));
        for refused in [
            "",
            "[]",
            "1",
            r#"{"A":"\u0000"}"#,
            r#"{"A":[]}"#,
            r#"{"A":{}}"#,
            r#"{"A":true}"#,
            r#"{"A":[[1]]}"#,
            r#"{"A":{"from":null}}"#,
            r#"{"A":{"from":1,"not":2}}"#,
            r#"{"A":{"above":1}}"#,
            r#"{"A":{"from":[1]}}"#,
            &many,
        ] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }
}
