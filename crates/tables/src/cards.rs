//! Cards as a table: a row for each.

use domain::key::CardKey;
use domain::planning::board::{BoardAssignee, BoardTag};
use domain::planning::card::{CardRecord, IndexCard};
use domain::planning::custom_field::{CustomField, FieldType, FieldValue};

use crate::table::{Cell, Table};

/// The columns, with their widths in characters.
const COLUMNS: [(&str, u8); 19] = [
    ("key", 10),
    ("name", 40),
    ("type", 12),
    ("priority", 10),
    ("state", 8),
    ("column", 16),
    ("assignees", 24),
    ("tags", 24),
    ("effort", 8),
    ("startDate", 12),
    ("deadline", 24),
    ("parent", 10),
    ("checklistDone", 14),
    ("checklistTotal", 14),
    ("author", 20),
    ("createdAt", 24),
    ("updatedAt", 24),
    ("closedAt", 24),
    ("id", 36),
];
/// The columns of longer texts.
const TEXTS: [(&str, u8); 2] = [("description", 60), ("resolution", 60)];
/// The width of a custom field's column.
const FIELD_WIDTH: u8 = 16;

/// A card with the names of what it refers to.
#[derive(Clone, Debug)]
pub struct CardRow<'a> {
    /// The card.
    pub card: &'a CardRecord,
    /// The card with its tags, assignees and boards.
    pub index: &'a IndexCard,
    /// The key of its parent.
    pub parent: Option<&'a CardKey>,
    /// Its assignees.
    pub assignees: &'a [BoardAssignee],
    /// Its tags.
    pub tags: &'a [BoardTag],
    /// The users among the values of its custom fields.
    pub users: &'a [BoardAssignee],
}

/// The table of these cards, with a column for each of the custom fields. Several names are in one cell, each on a line of its
/// own.
pub fn of(fields: &[CustomField], rows: &[CardRow<'_>]) -> Table {
    let columns = COLUMNS.iter().chain(&TEXTS).map(|(name, width)| ((*name).to_owned(), *width));
    let custom = fields.iter().map(|field| (column_name(field), FIELD_WIDTH));
    let row = |row: &CardRow<'_>| {
        let custom = fields.iter().map(|field| custom_cell(field, row));
        cells(row).into_iter().chain(custom).collect()
    };
    Table { name: "Cards", columns: columns.chain(custom).collect(), rows: rows.iter().map(row).collect() }
}

/// The name of a custom field, with the unit of its numbers.
fn column_name(field: &CustomField) -> String {
    match field.unit.as_str() {
        "" => field.name.to_string(),
        unit => format!("{} ({unit})", field.name),
    }
}

fn custom_cell(field: &CustomField, row: &CardRow<'_>) -> Cell {
    match row.card.fields.fields.get(field.id) {
        None => Cell::Empty,
        Some(FieldValue::Number(number)) => number.as_f64().map_or(Cell::Empty, Cell::Number),
        Some(value) if field.field_type.has_options() => lines(field.option_names(value).into_iter()),
        Some(FieldValue::Text(id)) if field.field_type == FieldType::User => {
            let user = row.users.iter().find(|user| user.id.to_string() == *id);
            Cell::Text(user.map_or_else(|| id.clone(), |user| user.display_name.clone()))
        }
        Some(FieldValue::Text(text)) => Cell::Text(text.clone()),
        Some(FieldValue::List(_)) => Cell::Empty,
    }
}

fn cells(row: &CardRow<'_>) -> Vec<Cell> {
    let CardRow { card, index, parent, assignees, tags, users: _ } = row;
    let fields = &card.fields;
    vec![
        word(card.key.as_ref()),
        Cell::Text(fields.name.to_string()),
        word(Some(&fields.card_type)),
        word(Some(fields.priority)),
        Cell::Text(if card.is_open { "open" } else { "closed" }.to_owned()),
        lines(index.team_statuses.iter().map(|status| status.status_name.as_str())),
        lines(assignees.iter().map(|user| user.display_name.as_str())),
        lines(tags.iter().map(|tag| tag.name.as_str())),
        Cell::Number(f64::from(fields.effort.get())),
        word(fields.start_date),
        word(fields.deadline.map(|deadline| deadline.0)),
        word(*parent),
        Cell::Number(f64::from(index.checklist.done)),
        Cell::Number(f64::from(index.checklist.total)),
        Cell::Text(card.author_display_name.clone()),
        word(Some(card.created_at)),
        word(Some(card.updated_at)),
        word(card.closed_at),
        word(Some(card.id)),
        Cell::text(Some(fields.description.as_str())),
        Cell::text(Some(fields.resolution.as_str())),
    ]
}

fn word(value: Option<impl ToString>) -> Cell {
    value.map_or(Cell::Empty, |value| Cell::Text(value.to_string()))
}

fn lines<'a>(names: impl Iterator<Item = &'a str>) -> Cell {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { Cell::Empty } else { Cell::Text(names.join("\n")) }
}
