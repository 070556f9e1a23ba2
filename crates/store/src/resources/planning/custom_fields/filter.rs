//! Filters of cards by custom fields, as conditions of a statement.

use database::prelude::*;
use database::schema::custom_fields;
use diesel::sql_types::{Array, Text, Uuid as SqlUuid};
use domain::Result;
use domain::error::Location;
use domain::id::FieldId;
use domain::planning::custom_field::{
    CustomField, FieldCondition, FieldFilters, FieldScope, ValueKey, ValueRange,
};
use domain::search::fold_case;
use serde_json::Number;
use uuid::Uuid;

use super::FieldRow;

/// Conditions on the custom fields of a card `c`.
#[derive(Clone, Debug, Default)]
pub(in crate::resources::planning) struct FieldConditions(Vec<FieldCondition>);

impl FieldConditions {
    /// The conditions of a filter in these projects.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `fields` for fields that no project has, and for values that they don't take.
    pub(in crate::resources::planning) async fn of(
        connection: &Connection,
        projects: &[Uuid],
        filters: &FieldFilters,
    ) -> Result<Self> {
        if filters.is_empty() {
            return Ok(Self::default());
        }
        let fields = called(connection, projects, filters).await?;
        filters.conditions(&fields).map(Self).map_err(|error| error.at(Location::Query))
    }

    /// The conditions in SQL, each behind an `and`. Their parameters begin with the number `first`.
    pub(in crate::resources::planning) fn sql(&self, first: usize) -> String {
        let mut next = first;
        let mut parameter = || {
            next += 1;
            format!("${}", next - 1)
        };
        self.0.iter().map(|condition| sql(condition, &mut parameter)).collect()
    }

    /// The statement with the parameters of the conditions, in the order of [`FieldConditions::sql`].
    pub(in crate::resources::planning) fn bind<'a>(&self, statement: Statement<'a>) -> Statement<'a> {
        self.0.iter().fold(statement, |statement, condition| {
            let ids: Vec<Uuid> = condition.fields.iter().map(|field| field.0).collect();
            let statement = statement.bind::<Array<SqlUuid>, _>(ids);
            match &condition.range {
                Some(ValueRange::Numbers(from, to)) => statement
                    .bind::<Text, _>(from.as_ref().map_or("-Infinity".to_owned(), Number::to_string))
                    .bind::<Text, _>(to.as_ref().map_or("Infinity".to_owned(), Number::to_string)),
                Some(ValueRange::Days(from, to)) => statement
                    .bind::<Text, _>(from.clone().unwrap_or_default())
                    .bind::<Text, _>(to.clone().unwrap_or_else(|| LAST_DAY.to_owned())),
                None => {
                    let (numbers, texts) = keys(condition);
                    let statement = match numbers.is_empty() {
                        true => statement,
                        false => statement.bind::<Array<Text>, _>(numbers),
                    };
                    match texts.is_empty() {
                        true => statement,
                        false => statement.bind::<Array<Text>, _>(texts),
                    }
                }
            }
        })
    }
}

/// The fields of these projects that a filter names.
async fn called(
    connection: &Connection,
    projects: &[Uuid],
    filters: &FieldFilters,
) -> Result<Vec<CustomField>> {
    let ids = filters.names().filter_map(|name| name.parse::<FieldId>().ok());
    let ids: Vec<Uuid> = ids.map(|id| id.0).collect();
    let names: Vec<String> = filters.names().map(fold_case).collect();
    let rows: Vec<FieldRow> = custom_fields::table
        .filter(custom_fields::project_id.eq_any(projects.to_vec()))
        .filter(custom_fields::applies_to.ne(FieldScope::Objects.as_str()))
        .filter(custom_fields::id.eq_any(ids).or(custom_fields::folded_name.eq_any(names)))
        .order(custom_fields::id)
        .select(FieldRow::as_select())
        .load(connection)
        .await?;
    rows.into_iter().map(FieldRow::field).collect()
}

const LAST_DAY: &str = "9999-12-31";

/// A condition that PostgreSQL may answer from the index of values. Each value is looked at for itself in a negated one, which
/// most cards pass.
fn sql(condition: &FieldCondition, parameter: &mut impl FnMut() -> String) -> String {
    let field = format!("v.field_id = any({})", parameter());
    let mut tests = Vec::new();
    match &condition.range {
        Some(ValueRange::Numbers(..)) => {
            tests.push(format!("v.number between {}::numeric and {}::numeric", parameter(), parameter()))
        }
        Some(ValueRange::Days(..)) => {
            tests.push(format!("v.number is null and v.text between {} and {}", parameter(), parameter()));
        }
        None => {
            let (numbers, texts) = keys(condition);
            if !numbers.is_empty() {
                tests.push(format!("v.number = any({}::numeric[])", parameter()));
            }
            if !texts.is_empty() {
                tests.push(format!("v.number is null and v.text = any({})", parameter()));
            }
        }
    }
    let values = "select from card_field_values v where v.card_id = c.id and";
    let none = condition.or_none.then(|| format!("not exists ({values} {field})"));
    // A card that may pass in several ways is looked at for itself, too: PostgreSQL would go through all values for each.
    let for_itself = condition.is_negated || tests.len() + usize::from(condition.or_none) > 1;
    let passes: Vec<String> = tests
        .iter()
        .map(|test| match for_itself {
            true => format!("exists ({values} {field} and {test})"),
            false => format!("c.id in (select v.card_id from card_field_values v where {field} and {test})"),
        })
        .chain(none)
        .collect();
    let not = if condition.is_negated { "not " } else { "" };
    format!("and {not}({})\n  ", passes.join(" or "))
}

/// The numbers, by their digits, and the texts among the values of a condition.
fn keys(condition: &FieldCondition) -> (Vec<String>, Vec<String>) {
    let (mut numbers, mut texts) = (Vec::new(), Vec::new());
    for value in &condition.values {
        match value {
            ValueKey::Number(number) => numbers.push(number.to_string()),
            ValueKey::Text(text) => texts.push(text.clone()),
        }
    }
    (numbers, texts)
}
