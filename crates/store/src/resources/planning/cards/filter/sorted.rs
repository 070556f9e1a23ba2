//! Pages of cards in the order of a custom field. The index of values has the order: numbers come first, then texts and days,
//! options in the order of their field, people by name, and last the cards without a value, which no index has.
//!
//! A page is read in segments that follow each other. Most pages need the first one alone.

mod groups;

use database::prelude::*;
use diesel::sql_types::{Array, Nullable, Text, Uuid as SqlUuid};
use domain::id::ProjectId;
use domain::planning::card::{CardPosition, FieldOrder, ValuePosition};
use domain::planning::custom_field::{CustomField, FieldType, ValueKey};
use domain::{Code, Error, Result};
use uuid::Uuid;

use self::groups::ValueGroup;
use super::{AFTER_AND_ORDER, CardFilter, FIELD_PARAMETER, FilteredPage};
use crate::access::call::Call;
use crate::resources::planning::custom_fields::order;
use crate::resources::store::Tx;

/// The statement that segments change.
const FILTERED: &str = include_str!("../search/filtered.sql");
/// The projects there, and groups of values instead.
const GROUPS: (&str, &str) = (
    "from unnest($1::uuid[]) as p (id)",
    "from unnest($1::uuid[], $36::uuid[], $37::text[], $38::uuid[])\n    \
     with ordinality as p (id, field_id, value, after_id, rank)",
);
/// The cards there, and their values in front of them instead.
const VALUES: (&str, &str) = (
    "select c.id, c.updated_at, c.deadline, c.priority\n    from cards c\n",
    "select c.id, v.number, v.text\n    from card_field_values v\n    \
     join cards c on c.id = v.card_id and v.field_id = p.field_id and v.item = 1\n",
);
/// The order of a group there, and that of the index instead.
const GROUP_ORDER: (&str, &str) = (
    "order by c.updated_at desc, c.id desc\n    limit",
    "order by v.number asc, v.text asc, v.card_id asc\n    limit",
);
/// The first parameter behind those of groups.
const PARAMETER_BEHIND_GROUPS: usize = FIELD_PARAMETER + 4;
/// The cards without a value of fields $36.
const WITHOUT_VALUE: &str =
    "not exists (select from card_field_values v where v.card_id = c.id and v.field_id = any($36::uuid[]))";
/// Groups of one statement: each may read a page.
const GROUPS_AT_ONCE: usize = 32;

/// The kinds of values, in the order of their segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ValueClass {
    Numbers,
    Texts,
    /// Options and users, whose order is not that of the index.
    Ranked,
}

impl ValueClass {
    const ALL: [Self; 3] = [Self::Numbers, Self::Texts, Self::Ranked];

    fn of(field: &CustomField) -> Self {
        match field.field_type {
            FieldType::Number => Self::Numbers,
            FieldType::Text | FieldType::Url | FieldType::Date => Self::Texts,
            FieldType::Choice | FieldType::Choices | FieldType::User => Self::Ranked,
        }
    }
}

/// Cards with values that follow each other in the order.
struct Segment {
    /// The condition on the value `v`.
    condition: &'static str,
    /// The groups `p`: each a field, or one of its values.
    groups: Vec<ValueGroup>,
    /// The number or text of the condition.
    key: Option<String>,
    /// True if the order of groups comes before that of values.
    is_ranked: bool,
}

/// The cards of `projects` that match a filter, after a position in the order of a custom field.
///
/// # Errors
/// `INVALID_PAGINATION` if the position is that of a field or an option that is gone.
pub(in crate::resources::planning::cards) async fn page<P>(
    tx: &mut Tx,
    call: &Call<P>,
    projects: &[ProjectId],
    (filter, order): (&CardFilter, &FieldOrder),
    (after, rows): (Option<CardPosition>, u32),
) -> Result<Vec<Uuid>> {
    let fields = order::definitions(tx, order).await?;
    let value = after.as_ref().and_then(|after| after.value.clone());
    let at = match (&after, value) {
        (Some(after), Some(value)) => Some((after.id.0, value)),
        _ => None,
    };
    let mut page = FilteredPage::of(tx, call, projects, filter, (after, rows)).await?;
    let mut found = Vec::new();
    let is_without_value = page.after.is_some() && at.is_none();
    if !is_without_value {
        for segment in segments(tx, &fields, order, at.as_ref()).await? {
            page.read_segment(tx, order, &segment, &mut found).await?;
            if page.rows == 0 {
                return Ok(found);
            }
        }
    }
    page.read_without_value(tx, projects, (order, is_without_value), &mut found).await?;
    Ok(found)
}

/// The segments of cards with values, after a position: a card and its value.
async fn segments(
    connection: &Connection,
    fields: &[CustomField],
    order: &FieldOrder,
    at: Option<&(Uuid, ValuePosition)>,
) -> Result<Vec<Segment>> {
    let begin = if order.is_descending { Uuid::max() } else { Uuid::nil() };
    let own = at.and_then(|(_, value)| fields.iter().find(|field| field.id == value.field));
    if at.is_some() && own.is_none() {
        return Err(gone());
    }
    let mut segments = Vec::new();
    for class in ValueClass::ALL {
        let of_class: Vec<&CustomField> =
            fields.iter().filter(|field| ValueClass::of(field) == class).collect();
        if of_class.is_empty() || own.is_some_and(|own| ValueClass::of(own) > class) {
            continue;
        }
        let at = at.filter(|_| own.is_some_and(|own| ValueClass::of(own) == class));
        match class {
            ValueClass::Numbers | ValueClass::Texts => segments.extend(plain(class, &of_class, begin, at)),
            ValueClass::Ranked => {
                let mut groups = groups::ranked(connection, &of_class, at.map(|(_, value)| value)).await?;
                if order.is_descending {
                    groups.reverse();
                }
                groups.iter_mut().for_each(|group| group.after = begin);
                if let Some((card, value)) = at {
                    let place = groups.iter().position(|group| group.is_at(value)).ok_or_else(gone)?;
                    groups.drain(..place);
                    groups.iter_mut().take(1).for_each(|group| group.after = *card);
                }
                segments.extend(groups.chunks(GROUPS_AT_ONCE).map(|groups| Segment {
                    condition: "v.number is null and v.text = p.value and v.card_id > p.after_id",
                    groups: groups.to_vec(),
                    key: None,
                    is_ranked: true,
                }));
            }
        }
    }
    Ok(segments)
}

/// The segments of numbers or of texts: after a position the cards with its value, then those with the next ones.
fn plain(
    class: ValueClass,
    fields: &[&CustomField],
    begin: Uuid,
    at: Option<&(Uuid, ValuePosition)>,
) -> Vec<Segment> {
    let is_number = class == ValueClass::Numbers;
    let groups = |after: Uuid| fields.iter().map(|field| ValueGroup::of(field, after)).collect();
    let segment = |condition, after, key| Segment { condition, groups: groups(after), key, is_ranked: false };
    let Some((card, value)) = at else {
        let all = if is_number { "v.number is not null" } else { "v.number is null" };
        return vec![segment(all, begin, None)];
    };
    let key = Some(match &value.key {
        ValueKey::Number(number) => number.to_string(),
        ValueKey::Text(text) => text.clone(),
    });
    let (same, next) = match is_number {
        true => (
            "v.number = $39::numeric and v.text is null and v.card_id > p.after_id",
            "v.number > $39::numeric",
        ),
        false => (
            "v.number is null and v.text = $39 and v.card_id > p.after_id",
            "v.number is null and v.text > $39",
        ),
    };
    vec![segment(same, *card, key.clone()), segment(next, begin, key)]
}

fn gone() -> Error {
    Error::new(
        Code::InvalidPagination,
        "The value at which the page begins is gone. Begin with the first page.",
    )
}

impl FilteredPage<'_> {
    /// Reads the cards of a segment, as far as the page has room.
    async fn read_segment(
        &mut self,
        connection: &Connection,
        order: &FieldOrder,
        segment: &Segment,
        found: &mut Vec<Uuid>,
    ) -> Result<()> {
        let Segment { condition, groups, key, is_ranked } = segment;
        let projects: Vec<Uuid> = groups.iter().map(|group| group.project).collect();
        let fields: Vec<Uuid> = groups.iter().map(|group| group.field).collect();
        let values: Vec<Option<String>> = groups.iter().map(|group| group.value.clone()).collect();
        let after: Vec<Uuid> = groups.iter().map(|group| group.after).collect();
        let sql = self.sql(condition, *is_ranked, order.is_descending);
        let statement = Statement::new(sql).bind::<Array<SqlUuid>, _>(projects);
        let statement = self
            .bind_filter(statement)
            .bind::<Array<SqlUuid>, _>(fields)
            .bind::<Array<Nullable<Text>>, _>(values)
            .bind::<Array<SqlUuid>, _>(after)
            .bind::<Nullable<Text>, _>(key.clone());
        let rows: Vec<Row> = self.tests.bind(statement).load(connection).await?;
        self.take(rows, found)
    }

    /// The statement of a segment.
    fn sql(&self, condition: &str, is_ranked: bool, is_descending: bool) -> String {
        let condition = format!("{condition}\n      {}", self.tests.sql(PARAMETER_BEHIND_GROUPS));
        let order = match is_ranked {
            true => "p.rank, c.id asc",
            false => "c.number asc, c.text asc, c.id asc",
        };
        let sql = FILTERED
            .replace(GROUPS.0, GROUPS.1)
            .replace(VALUES.0, VALUES.1)
            .replace(AFTER_AND_ORDER.0, &condition)
            .replace(GROUP_ORDER.0, GROUP_ORDER.1)
            .replace(AFTER_AND_ORDER.1, order);
        match is_descending {
            true => {
                sql.replace(" asc", " desc").replace("v.card_id >", "v.card_id <").replace("> $39", "< $39")
            }
            false => sql,
        }
    }

    /// Reads the cards without a value, by their ids: all, or those after the page's position.
    async fn read_without_value(
        &mut self,
        connection: &Connection,
        projects: &[ProjectId],
        (order, is_after): (&FieldOrder, bool),
        found: &mut Vec<Uuid>,
    ) -> Result<()> {
        let (sign, direction) = if order.is_descending { ("<", "c.id desc") } else { (">", "c.id") };
        let after = if is_after { format!(" and c.id {sign} $34") } else { String::new() };
        let tests = self.tests.sql(FIELD_PARAMETER + 1);
        let sql = FILTERED
            .replace(AFTER_AND_ORDER.0, &format!("{WITHOUT_VALUE}{after}\n      {tests}"))
            .replace(AFTER_AND_ORDER.1, direction);
        let projects: Vec<Uuid> = projects.iter().map(|project| project.0).collect();
        let statement = self.bind_filter(Statement::new(sql).bind::<Array<SqlUuid>, _>(projects));
        let fields: Vec<Uuid> = order.fields.iter().map(|field| field.0).collect();
        let statement = self.tests.bind(statement.bind::<Array<SqlUuid>, _>(fields));
        let rows: Vec<Row> = statement.load(connection).await?;
        self.take(rows, found)
    }

    fn take(&mut self, rows: Vec<Row>, found: &mut Vec<Uuid>) -> Result<()> {
        let count = u32::try_from(rows.len()).map_err(Error::internal)?;
        self.rows = self.rows.saturating_sub(count);
        found.extend(rows.into_iter().map(|row| row.id));
        Ok(())
    }
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[cfg(test)]
mod tests {
    use super::{AFTER_AND_ORDER, FILTERED, GROUP_ORDER, GROUPS, VALUES};

    #[test]
    fn the_statement_has_each_part_that_segments_replace() {
        for part in [GROUPS.0, VALUES.0, GROUP_ORDER.0, AFTER_AND_ORDER.0] {
            assert_eq!(FILTERED.matches(part).count(), 1, "{part}");
        }
        assert_eq!(FILTERED.matches(AFTER_AND_ORDER.1).count(), 2);
        assert!(!FILTERED.contains(" asc"));
    }
}
