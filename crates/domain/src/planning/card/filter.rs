//! Filters of lists of cards, as queries name them: `priority=high,urgent`, `assignee=me,none`, `tag=!{tagId}`.
//!
//! No id, key or fixed word begins with [`NOT`]. A name of a type may: it has a `=` in front then.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::{CARD_MAX_TAGS, CardType, Priority};
use crate::id::{ProjectId, SprintId, StatusId, TagId, TeamId, UserId};
use crate::key::CardName;

/// The sign in front of a value that a card must not have.
const NOT: char = '!';
/// The sign in front of a name that begins with [`NOT`].
const LITERAL: char = '=';
/// The word for a missing value.
const NONE: &str = "none";
/// The word for the caller.
const ME: &str = "me";
/// Most users, projects, cards, teams, columns or sprints of a filter.
const MOST_IDS: usize = 50;

/// Tags of which a card must have all, and tags of which it must have none.
pub type TagTerms = TermList<OrNone<TagId>, CARD_MAX_TAGS>;
/// Assignees.
pub type AssigneeTerms = TermList<OrNone<UserTerm>, MOST_IDS>;
/// Creators.
pub type AuthorTerms = TermList<UserTerm, MOST_IDS>;
/// Priorities.
pub type PriorityTerms = TermList<Priority, 5>;
/// Types.
pub type TypeTerms = TermList<CardType, 20>;
/// Parents.
pub type ParentTerms = TermList<OrNone<CardName>, MOST_IDS>;
/// Deadlines by the day.
pub type DueTerms = TermList<DueTerm, 3>;
/// Projects.
pub type ProjectTerms = TermList<ProjectId, MOST_IDS>;
/// Teams with the card on their boards.
pub type TeamTerms = TermList<OrNone<TeamId>, MOST_IDS>;
/// Columns of boards.
pub type StatusTerms = TermList<OrNone<StatusId>, MOST_IDS>;
/// Sprints.
pub type SprintTerms = TermList<OrNone<SprintId>, MOST_IDS>;

/// Values of which a card must have one, and values of which it must have none. Each stands there once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueTerms<T> {
    /// One of these; any value and no value if the list is empty.
    pub any_of: Vec<T>,
    /// None of these.
    pub none_of: Vec<T>,
}

impl<T> Default for ValueTerms<T> {
    fn default() -> Self {
        Self { any_of: Vec::new(), none_of: Vec::new() }
    }
}

impl<T> ValueTerms<T> {
    /// True if every card passes.
    pub fn is_empty(&self) -> bool {
        self.any_of.is_empty() && self.none_of.is_empty()
    }

    /// True for a card with these values.
    pub fn admit(&self, values: &[T]) -> bool
    where
        T: PartialEq,
    {
        let has = |terms: &[T]| terms.iter().any(|term| values.contains(term));
        (self.any_of.is_empty() || has(&self.any_of)) && !has(&self.none_of)
    }

    /// All values, those that a card must not have last.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.any_of.iter().chain(&self.none_of)
    }

    /// The terms with other values in the place of these.
    pub fn map<U: PartialEq>(self, mut other: impl FnMut(T) -> U) -> ValueTerms<U> {
        let mut each = |values: Vec<T>| {
            let mut once = Vec::with_capacity(values.len());
            for value in values {
                add(&mut once, other(value));
            }
            once
        };
        ValueTerms { any_of: each(self.any_of), none_of: each(self.none_of) }
    }
}

/// One to `MAX` terms, separated by commas: values, and with `!` in front those that a card must not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermList<T, const MAX: usize>(pub ValueTerms<T>);

impl<T: FromStr + PartialEq, const MAX: usize> FromStr for TermList<T, MAX>
where
    T::Err: fmt::Display,
{
    type Err = InvalidTerm;

    fn from_str(text: &str) -> Result<Self, InvalidTerm> {
        Self::read(text.split(','))
    }
}

impl<T: FromStr + PartialEq, const MAX: usize> TermList<T, MAX>
where
    T::Err: fmt::Display,
{
    /// Reads terms, each of which is a text of its own.
    ///
    /// # Errors
    /// A term can't be read, or there are more than `MAX` or none.
    pub fn read<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidTerm> {
        let mut terms = ValueTerms::default();
        for (place, text) in texts.into_iter().enumerate() {
            if place == MAX {
                return Err(InvalidTerm(format!("invalid length: must name at most {MAX} values")));
            }
            let (is_negated, value) = term(text).map_err(|error: T::Err| InvalidTerm(error.to_string()))?;
            add(if is_negated { &mut terms.none_of } else { &mut terms.any_of }, value);
        }
        if terms.is_empty() {
            Err(InvalidTerm("invalid length: must name a value".to_owned()))
        } else {
            Ok(Self(terms))
        }
    }
}

impl<T: fmt::Display, const MAX: usize> TermList<T, MAX> {
    /// The terms as texts.
    pub fn texts(&self) -> Vec<String> {
        let values = self.0.any_of.iter().map(|value| {
            let text = value.to_string();
            if is_ambiguous(&text) { format!("{LITERAL}{text}") } else { text }
        });
        values.chain(self.0.none_of.iter().map(|value| format!("{NOT}{value}"))).collect()
    }
}

/// The text is not a list of terms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidTerm(String);

impl<T, const MAX: usize> From<T> for TermList<T, MAX> {
    fn from(value: T) -> Self {
        Self(ValueTerms { any_of: vec![value], none_of: Vec::new() })
    }
}

impl<T: fmt::Display, const MAX: usize> fmt::Display for TermList<T, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.texts().join(","))
    }
}

impl<'de, T: FromStr + PartialEq, const MAX: usize> Deserialize<'de> for TermList<T, MAX>
where
    T::Err: fmt::Display,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl<T: fmt::Display, const MAX: usize> Serialize for TermList<T, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<T: JsonSchema, const MAX: usize> JsonSchema for TermList<T, MAX> {
    fn schema_name() -> Cow<'static, str> {
        format!("Terms{}OfAtMost{MAX}", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = of_terms(T::json_schema(generator));
        json_schema!({ "type": "array", "items": items, "minItems": 1, "maxItems": MAX })
    }
}

/// The schema of terms whose values have this one: a value, or its opposite.
fn of_terms(mut values: Schema) -> Schema {
    if let Some(Value::Array(names)) = values.get_mut("enum") {
        let opposites: Vec<Value> =
            names.iter().filter_map(Value::as_str).map(|name| json!(format!("{NOT}{name}"))).collect();
        names.extend(opposites);
    }
    if let Some(Value::String(format)) = values.get_mut("format") {
        format.push_str("-filter");
    }
    values.remove("description");
    values
}

/// Reads a value, and whether it is one that a card must not have.
fn term<T: FromStr>(text: &str) -> Result<(bool, T), T::Err> {
    match text.strip_prefix(NOT) {
        Some(value) => Ok((true, value.parse()?)),
        None => {
            Ok((false, text.strip_prefix(LITERAL).filter(|text| is_ambiguous(text)).unwrap_or(text).parse()?))
        }
    }
}

/// True for a value that would be read as the opposite of another one, or as the literal form of such a value.
fn is_ambiguous(text: &str) -> bool {
    text.trim_start_matches(LITERAL).starts_with(NOT)
}

/// True for a text that is a value or, with `!` in front, its opposite.
pub(crate) fn is_term<T: FromStr>(text: &str) -> bool {
    term::<T>(text).is_ok()
}

fn add<T: PartialEq>(values: &mut Vec<T>, value: T) {
    if !values.contains(&value) {
        values.push(value);
    }
}

/// A value, or `none` for its absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrNone<T>(pub Option<T>);

impl<T: FromStr> FromStr for OrNone<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        if text == NONE { Ok(Self(None)) } else { text.parse().map(|value| Self(Some(value))) }
    }
}

impl<T: fmt::Display> fmt::Display for OrNone<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            None => f.write_str(NONE),
            Some(value) => value.fmt(f),
        }
    }
}

impl<T: JsonSchema> JsonSchema for OrNone<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}OrNone", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        if let Some(Value::String(format)) = schema.get_mut("format") {
            format.insert_str(0, "optional-");
        }
        schema
    }
}

/// A user, or `me` for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UserTerm {
    /// The caller.
    Me,
    /// This user.
    User(UserId),
}

impl UserTerm {
    /// The user for whom it stands in a request of `caller`.
    pub fn of(self, caller: UserId) -> UserId {
        match self {
            Self::Me => caller,
            Self::User(user) => user,
        }
    }
}

/// The text is not `me` or an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be `me` or the id of a user")]
pub struct InvalidUserTerm;

impl FromStr for UserTerm {
    type Err = InvalidUserTerm;

    fn from_str(text: &str) -> Result<Self, InvalidUserTerm> {
        match text {
            ME => Ok(Self::Me),
            id => id.parse().map(Self::User).map_err(|_| InvalidUserTerm),
        }
    }
}

impl fmt::Display for UserTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Me => f.write_str(ME),
            Self::User(id) => id.fmt(f),
        }
    }
}

impl JsonSchema for UserTerm {
    fn schema_name() -> Cow<'static, str> {
        "UserTerm".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "user" })
    }
}

/// A card by the day of its deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DueTerm {
    /// No deadline.
    None,
    /// Open, and the day has passed.
    Late,
    /// Open, and due today or within seven days.
    Week,
}

impl DueTerm {
    const ALL: [Self; 3] = [Self::None, Self::Late, Self::Week];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => NONE,
            Self::Late => "late",
            Self::Week => "week",
        }
    }
}

/// The text does not say when a card is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be `none`, `late` or `week`")]
pub struct InvalidDueTerm;

impl FromStr for DueTerm {
    type Err = InvalidDueTerm;

    fn from_str(text: &str) -> Result<Self, InvalidDueTerm> {
        Self::ALL.into_iter().find(|due| due.as_str() == text).ok_or(InvalidDueTerm)
    }
}

impl fmt::Display for DueTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl JsonSchema for DueTerm {
    fn schema_name() -> Cow<'static, str> {
        "DueTerm".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": Self::ALL.map(Self::as_str) })
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;

    use super::{AssigneeTerms, DueTerms, PriorityTerms, TagTerms, TypeTerms, ValueTerms};

    fn again(text: &str) -> Result<String, String> {
        text.parse().map(|terms: TypeTerms| terms.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn terms_are_values_and_their_opposites_each_once() {
        let terms: PriorityTerms = "high,!low,high,urgent,!none".parse().unwrap();
        let terms = terms.0.map(|priority| priority.to_string());
        assert_eq!(terms.any_of, ["high", "urgent"]);
        assert_eq!(terms.none_of, ["low", "none"]);
        assert!(ValueTerms::<u8>::default().is_empty());
        let id = "0198c5f0-0000-7000-8000-000000000001";
        let text = format!("me,none,!{id}");
        assert_eq!(text.parse::<AssigneeTerms>().map(|terms| terms.to_string()), Ok(text));
        for refused in ["", "!", "!!me", "me,", "ME", "not me", "=me"] {
            assert!(refused.parse::<AssigneeTerms>().is_err(), "{refused}");
        }
        assert!("low,low,low,low,low,low".parse::<PriorityTerms>().is_err());
    }

    #[test]
    fn a_schema_names_values_and_opposites() {
        let mut generator = schemars::SchemaGenerator::default();
        let mut items = |schema: fn(&mut schemars::SchemaGenerator) -> schemars::Schema| {
            schema(&mut generator).get("items").cloned().unwrap()
        };
        let tags = items(TagTerms::json_schema);
        assert_eq!(tags, serde_json::json!({ "type": "string", "format": "optional-uuid-filter" }));
        let due = items(DueTerms::json_schema);
        assert_eq!(due["enum"], serde_json::json!(["none", "late", "week", "!none", "!late", "!week"]));
    }

    #[test]
    fn a_name_that_begins_as_an_opposite_has_a_sign_in_front() {
        for text in ["bug,!task", "=!urgent", "!!urgent", "==!x", "=x", "!=x", "!=!x"] {
            assert_eq!(again(text).as_deref(), Ok(text));
        }
        let literal: TypeTerms = "=!urgent,!task".parse().unwrap();
        let literal = literal.0.map(|name| name.to_string());
        assert_eq!((literal.any_of, literal.none_of), (vec!["!urgent".to_owned()], vec!["task".to_owned()]));
    }
}
