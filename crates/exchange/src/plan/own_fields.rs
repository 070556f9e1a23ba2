//! Values of an export that the project's custom fields take. Those that don't fit stay among the others.

use std::collections::BTreeMap;

use domain::planning::card::CommentBody;
use domain::planning::custom_field::{CustomField, FieldType};
use domain::planning::import::{ImportedInput, ImportedValue};
use domain::search::fold_case;
use domain::time::{CalendarDay, DateOrTime, Zone};
use serde_json::{Number, Value, json};

use crate::dates::Dates;
use crate::draft::cut_name;
use crate::export::{SourceIssue, SourcePerson};
use crate::plan::remainder::Remainder;

/// Signs between several options in one value.
const SEPARATORS: [char; 3] = ['\n', ';', ','];

/// The columns or fields of an export whose values go into custom fields of the project.
#[derive(Clone, Debug, Default)]
pub struct FieldColumns(Vec<(String, CustomField)>);

impl FieldColumns {
    /// Columns by name, each with its custom field.
    pub fn new(columns: impl IntoIterator<Item = (String, CustomField)>) -> Self {
        Self(columns.into_iter().map(|(name, field)| (cut_name(&name), field)).collect())
    }
}

/// Reads the values of columns.
pub(super) struct OwnFieldReader<'a> {
    columns: Vec<ColumnReader<'a>>,
    zone: &'a Zone,
}

/// Reads the values of one column.
struct ColumnReader<'a> {
    name: &'a str,
    field: &'a CustomField,
    dates: Dates,
    is_used: bool,
}

impl<'a> OwnFieldReader<'a> {
    pub(super) fn of(columns: &'a FieldColumns, issues: &[SourceIssue], zone: &'a Zone) -> Self {
        let reader = |(name, field): &'a (String, CustomField)| {
            let values = || issues.iter().filter_map(|issue| issue.fields.get(name)).map(String::as_str);
            let dates: Vec<&str> = match field.field_type {
                FieldType::Date => values().collect(),
                _ => Vec::new(),
            };
            let dates = Dates::of(zone.clone(), dates.into_iter());
            ColumnReader { name, field, dates, is_used: values().next().is_some() }
        };
        Self { columns: columns.0.iter().map(reader).collect(), zone }
    }

    /// The columns of which no issue has a value.
    pub(super) fn unused(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|column| !column.is_used).map(|column| column.name)
    }

    /// The columns whose dates don't tell days from months.
    pub(super) fn with_assumed_dates(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(|column| column.dates.is_order_assumed).map(|column| column.name)
    }

    /// Takes the values that fit out of an issue; returns them, and the columns whose values don't fit.
    pub(super) fn take(
        &self,
        title: &str,
        issue: &mut SourceIssue,
        people: &BTreeMap<String, SourcePerson>,
    ) -> (Vec<ImportedValue>, Vec<&'a str>) {
        let (mut fitting, mut others) = (Vec::new(), Vec::new());
        for ColumnReader { name, field, dates, .. } in &self.columns {
            let Some(text) = issue.fields.get(*name) else { continue };
            let Some(input) = input(field, text.trim(), (dates, self.zone), people) else {
                others.push(*name);
                continue;
            };
            fitting.push(ImportedValue {
                field: field.id,
                column: (*name).to_owned(),
                text: text.clone(),
                comments: kept(title, issue, (*name, text.as_str())),
                input,
            });
            issue.fields.remove(*name);
        }
        (fitting, others)
    }
}

/// The comments that keep a value if its field doesn't take it anymore when the card is made.
fn kept(title: &str, issue: &SourceIssue, (name, text): (&str, &str)) -> Vec<CommentBody> {
    let mut rest = Remainder::alone(title, issue);
    rest.add(name, text);
    rest.comments()
}

/// The value that a text is for a field; `None` if the field doesn't take it.
fn input(
    field: &CustomField,
    text: &str,
    (dates, zone): (&Dates, &Zone),
    people: &BTreeMap<String, SourcePerson>,
) -> Option<ImportedInput> {
    let value = match field.field_type {
        FieldType::User => return address(people, text).map(ImportedInput::Person),
        FieldType::Text | FieldType::Url => json!(text),
        FieldType::Number => Value::Number(number(text, field.unit.as_str())?),
        FieldType::Date => json!(match dates.day(text)? {
            DateOrTime::Date(date) => CalendarDay(date),
            DateOrTime::Time(time) => CalendarDay(zone.day_of(time)),
        }),
        FieldType::Choice => json!(option(field, text)?),
        FieldType::Choices => json!(options(field, text)?),
    };
    field.fitting(&value).map(|_| ImportedInput::Value(value))
}

/// A number, with or without the field's unit behind it. Commas may divide thousands or decimals, so they don't fit.
fn number(text: &str, unit: &str) -> Option<Number> {
    let text = text.strip_suffix(unit).unwrap_or(text).trim();
    match text.parse::<i64>() {
        Ok(whole) => Some(whole.into()),
        Err(_) => Number::from_f64(text.parse().ok()?),
    }
}

/// The option of a name, if need be regardless of case.
fn option(field: &CustomField, name: &str) -> Option<String> {
    let exact = field.options.iter().find(|option| option.name.as_str() == name);
    let folded = || field.options.iter().find(|option| fold_case(option.name.as_str()) == fold_case(name));
    exact.or_else(folded).map(|option| option.id.to_string())
}

/// The options of a text, all of which the field must have.
fn options(field: &CustomField, text: &str) -> Option<Vec<String>> {
    if let Some(one) = option(field, text) {
        return Some(vec![one]);
    }
    let names = text.split(SEPARATORS).map(str::trim).filter(|name| !name.is_empty());
    names.map(|name| option(field, name)).collect()
}

/// The address of the person with this id, name or address.
fn address(people: &BTreeMap<String, SourcePerson>, text: &str) -> Option<String> {
    if let Some(person) = people.get(text) {
        return person.address.clone();
    }
    let mut named = people.values().filter(|person| person.name.as_deref() == Some(text));
    match (named.next(), named.next()) {
        (Some(person), None) => person.address.clone(),
        (None, _) => text.contains('@').then(|| text.to_owned()),
        (Some(_), Some(_)) => None,
    }
}
