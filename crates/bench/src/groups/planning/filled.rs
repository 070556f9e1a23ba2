//! A project of many cards with own fields, tags and assignees, written past the API: their creation isn't measured.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{DAY_SECS, day, now, time};
use crate::log;
use crate::noise::{id, noise};
use crate::pgbench::Database;
use crate::stack::{Stack, text};

const USERS: u64 = 20;
const TAGS: u64 = 20;
const SUPPLIERS: u64 = 8;
const WEIGHTS: u64 = 10_000;
/// Number of the first account; other groups have other ones.
const FIRST_ACCOUNT: u64 = 910_000;
/// Ids of these cards.
const KIND: u16 = 1;
/// The first day of deliveries: 1 January 2026.
const FIRST_DELIVERY: i64 = 1_767_225_600;
const YEAR_SECS: u64 = 365 * 24 * 60 * 60;
/// Null in the text format of `copy`.
const NULL: &str = "\\N";

/// The columns of each table that are copied.
const CARDS: &str = "cards (id, project_id, number, name, description, resolution, effort, priority, type, fields, \
                     is_open, closed_at, created_by, created_at, updated_at, history_head_id, history_head_sequence)";
const INDEX_CARDS: &str = "index_cards (card_id, project_id, is_open, tag_ids, user_ids, search_document)";
const VALUES: &str = "card_field_values (card_id, field_id, item, number, text)";

/// The project, and the ids of all that its cards refer to.
pub(super) struct FilledProject {
    pub(super) id: String,
    pub(super) cards: u32,
    /// The field of numbers, by which pages are sorted: a whole number below 10,000.
    pub(super) weight: String,
    /// The field of a choice among eight.
    pub(super) supplier: String,
    suppliers: Vec<String>,
    /// The field of days, in 2026.
    pub(super) delivery: String,
    tags: Vec<String>,
    users: Vec<String>,
}

/// The properties of a card by which it is found.
struct Facts {
    id: String,
    priority: &'static str,
    kind: &'static str,
    is_open: bool,
    weight: u64,
    supplier: String,
    delivery: String,
    tag: String,
    user: String,
    updated: i64,
}

impl FilledProject {
    /// Creates the project with its fields, tags and cards.
    pub(super) fn fill(stack: &Stack, database: &Database, cards: u32) -> Result<Self> {
        let created = |path: &str, body: &Value| stack.call("POST", path, &body.to_string(), 201);
        let project = created("/api/v2/projects", &json!({ "name": "Pages", "orgId": stack.ready.org_id }))?;
        let id = text(&project, "/id")?;
        let field = |body: Value| created(&format!("/api/v2/projects/{id}/fields"), &body);
        let weight = field(json!({ "name": "Weight", "type": "number", "unit": "kg" }))?;
        let options: Vec<String> = (0..SUPPLIERS).map(|number| format!("Supplier {number}")).collect();
        let supplier = field(json!({ "name": "Supplier", "type": "choice", "options": options }))?;
        let delivery = field(json!({ "name": "Delivery", "type": "date" }))?;
        let option = |place| text(&supplier, &format!("/field/options/{place}/id"));
        let tag = |number| {
            let body = json!({ "name": format!("Tag {number}") });
            text(&created(&format!("/api/v2/projects/{id}/card-tags"), &body)?, "/tag/id")
        };
        let filled = Self {
            weight: text(&weight, "/field/id")?,
            supplier: text(&supplier, "/field/id")?,
            suppliers: (0..SUPPLIERS).map(option).collect::<Result<_>>()?,
            delivery: text(&delivery, "/field/id")?,
            tags: (0..TAGS).map(tag).collect::<Result<_>>()?,
            users: (0..USERS)
                .map(|number| Ok(stack.account(FIRST_ACCOUNT + number)?.user))
                .collect::<Result<_>>()?,
            id,
            cards,
        };
        filled.copy(database, &stack.ready.user_id)?;
        Ok(filled)
    }

    /// One of the tags.
    pub(super) fn tag(&self) -> Result<&str> {
        one(&self.tags, 3)
    }

    /// One of the assignees.
    pub(super) fn user(&self) -> Result<&str> {
        one(&self.users, 7)
    }

    /// Name and id of one of the suppliers.
    pub(super) fn one_supplier(&self) -> Result<(&str, &str)> {
        Ok(("Supplier 5", one(&self.suppliers, 5)?))
    }

    fn copy(&self, database: &Database, author: &str) -> Result<()> {
        let now = now(database)?;
        let each = |table: &str, write: &dyn Fn(u64, Facts) -> Result<String>| {
            let name = table.split(' ').next().unwrap_or(table);
            log(format_args!("copying {name} of {} cards", self.cards));
            database.copy(table, |out| {
                for number in 1..=u64::from(self.cards) {
                    out.write_all(write(number, self.facts(number, now)?)?.as_bytes())?;
                }
                Ok(())
            })
        };
        each(CARDS, &|number, facts| self.card(number, &facts, author))?;
        database.without_gin("index_cards", || {
            each(INDEX_CARDS, &|_, facts| {
                let Facts { id, is_open, tag, user, weight, .. } = facts;
                Ok(format!("{id}\t{}\t{is_open}\t{{{tag}}}\t{{{user}}}\tpart of {weight}\n", self.id))
            })
        })?;
        each(VALUES, &|_, Facts { id, weight, supplier, delivery, .. }| {
            let Self { weight: of_weight, supplier: of_supplier, delivery: of_delivery, .. } = self;
            Ok(format!(
                "{id}\t{of_weight}\t1\t{weight}\t{NULL}\n\
                 {id}\t{of_supplier}\t1\t{NULL}\t{supplier}\n\
                 {id}\t{of_delivery}\t1\t{NULL}\t{delivery}\n"
            ))
        })?;
        each("card_tag_links (card_id, tag_id)", &|_, Facts { id, tag, .. }| Ok(format!("{id}\t{tag}\n")))?;
        let assigned = time(now)?;
        each("card_assignees (card_id, user_id, assigned_at)", &|_, Facts { id, user, .. }| {
            Ok(format!("{id}\t{user}\t{assigned}\n"))
        })?;
        let counter = format!("insert into card_counters values ('{}', {})", self.id, self.cards);
        log("gathering statistics");
        let tables = "cards, index_cards, card_field_values, card_tag_links, card_assignees";
        database.run(&[counter, format!("vacuum analyze {tables}"), "checkpoint".to_owned()])
    }

    /// The line of a card in [`CARDS`].
    fn card(&self, number: u64, facts: &Facts, author: &str) -> Result<String> {
        let Facts { id, priority, kind, is_open, weight, supplier, delivery, updated, .. } = facts;
        let fields =
            json!({ &self.weight: weight, &self.supplier: supplier, &self.delivery: delivery }).to_string();
        let updated_at = time(*updated)?;
        let closed_at = if *is_open { NULL } else { &updated_at };
        let (project, effort) = (&self.id, number % 9);
        Ok(format!(
            "{id}\t{project}\t{number}\tPart of {weight} kg\t\t\t{effort}\t{priority}\t{kind}\t{fields}\t\
             {is_open}\t{closed_at}\t{author}\t{updated_at}\t{updated_at}\t{id}\t{number}\n"
        ))
    }

    fn facts(&self, number: u64, now: i64) -> Result<Facts> {
        let of = |property, values| noise(number, property) % values;
        let priority = match of(0, 100) {
            ..3 => "urgent",
            3..15 => "high",
            15..40 => "medium",
            40..60 => "low",
            _ => "none",
        };
        let kind = match of(1, 100) {
            ..70 => "task",
            70..90 => "bug",
            _ => "change",
        };
        Ok(Facts {
            id: id(number, KIND),
            priority,
            kind,
            weight: of(2, WEIGHTS),
            supplier: one(&self.suppliers, of(3, SUPPLIERS))?.to_owned(),
            delivery: day(FIRST_DELIVERY + i64::try_from(of(4, 365))? * DAY_SECS)?,
            tag: one(&self.tags, of(5, TAGS))?.to_owned(),
            user: one(&self.users, of(6, USERS))?.to_owned(),
            is_open: of(7, 5) > 0,
            updated: now - i64::try_from(of(8, YEAR_SECS))?,
        })
    }
}

fn one(ids: &[String], place: u64) -> Result<&str> {
    ids.get(usize::try_from(place)?).map(String::as_str).context("no such id")
}
