//! The parts of cards that only exports of this service have: numbers, values of custom fields, all assignees, archived
//! tags.

use std::collections::HashSet;

use auth::actor::CardWrite;
use database::prelude::*;
use database::schema::{card_counters, cards};
use diesel::sql_types::{Jsonb, Timestamptz};
use domain::Result;
use domain::id::{CardId, TagId, UserId};
use domain::planning::custom_field::{CustomField, FieldInputs, FieldStatus, FieldValues};
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::planning::import::{ImportItem, ImportNote, ImportedCard};
use serde_json::{Value, json};

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::planning::cards::history::Entry;
use crate::resources::planning::cards::keys;
use crate::resources::planning::custom_fields::values;
use crate::resources::planning::imports::notes::note;
use crate::resources::planning::imports::people::Members;
use crate::resources::planning::imports::tags::CardTag;
use crate::resources::store::Tx;

/// The project as its new cards find it. The counter of its numbers is held.
pub(super) struct ExactCards {
    /// The custom fields, as if none and no option of theirs were archived: cards had values before that.
    fields: Vec<CustomField>,
    /// Numbers that cards have.
    taken: HashSet<i64>,
}

impl ExactCards {
    /// That of these cards.
    pub(super) async fn of(tx: &mut Tx, project: &Project<CardWrite>, new: &[&ImportedCard]) -> Result<Self> {
        if new.iter().all(|card| card.exact.is_none()) {
            return Ok(Self { fields: Vec::new(), taken: HashSet::new() });
        }
        let wanted: Vec<i64> = new.iter().filter_map(|card| card.exact.as_ref()?.number).collect();
        let taken: Vec<Option<i64>> = cards::table
            .filter(cards::project_id.eq(project.record.id.0).and(cards::number.eq_any(wanted)))
            .select(cards::number)
            .load(tx)
            .await?;
        let mut fields = values::definitions(tx, project).await?;
        for field in &mut fields {
            field.status = FieldStatus::Active;
            field.options.iter_mut().for_each(|option| option.is_archived = false);
        }
        Ok(Self { fields, taken: taken.into_iter().flatten().collect() })
    }

    /// The card's number, if it is free; else the card gets the next one, which is noted.
    pub(super) fn number(&mut self, card: &ImportedCard, notes: &mut Vec<ImportNote>) -> Option<i64> {
        let number = card.exact.as_ref()?.number?;
        if self.taken.insert(number) {
            return Some(number);
        }
        let reason = "another card of the project has this number; this one gets the next";
        notes.push(note(card, "number", &number.to_string(), reason));
        None
    }

    /// The values of custom fields. One that the project's field doesn't take is noted.
    pub(super) fn values(
        &self,
        card: &ImportedCard,
        members: &Members,
        notes: &mut Vec<ImportNote>,
    ) -> FieldValues {
        let mut values = FieldValues::default();
        let Some(exact) = &card.exact else { return values };
        let mut inputs: Vec<(&String, Value)> =
            exact.fields.iter().map(|(name, value)| (name, value.clone())).collect();
        for (name, address) in &exact.user_fields {
            match members.find(Some(address)) {
                Some(user) => inputs.push((name, json!(user))),
                None => notes.push(note(card, name, address, "no member here has this address; left out")),
            }
        }
        for (name, value) in inputs {
            let shown = value.to_string();
            match values.changed(&self.fields, &FieldInputs::from_iter([(name.clone(), value)])) {
                Ok(changed) => values = changed,
                Err(_) => {
                    notes.push(note(card, name, &shown, "the project's field doesn't take it; left out"))
                }
            }
        }
        values
    }

    /// The assignees who are members. Others are noted, and so is an author who isn't a member.
    pub(super) fn assignees(
        &self,
        card: &ImportedCard,
        members: &Members,
        notes: &mut Vec<ImportNote>,
    ) -> Vec<UserId> {
        let Some(exact) = &card.exact else {
            return members.find(card.assignee.as_ref()).into_iter().collect();
        };
        if let (Some(author), None) = (&card.author, members.author(card.author.as_ref())) {
            let reason = "no member here has this address, or you may not write in another's name; the \
                          importer is the author";
            notes.push(note(card, "created_by_user", author, reason));
        }
        let mut assignees = Vec::with_capacity(exact.assignees.len());
        for address in &exact.assignees {
            match members.find(Some(address)) {
                Some(user) if !assignees.contains(&user) => assignees.push(user),
                Some(_) => {}
                None => {
                    notes.push(note(card, "user_ids", address, "no member here has this address; left out"))
                }
            }
        }
        assignees
    }
}

/// Keeps the numbers that cards of the import have for them: cards that are made meanwhile, or whose numbers are taken,
/// get later ones.
pub(super) async fn reserve_numbers(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    items: &[(usize, ImportItem)],
) -> Result<()> {
    let number = |item: &ImportItem| match item {
        ImportItem::Card(card) => card.exact.as_ref()?.number,
        ImportItem::Field(_)
        | ImportItem::Tag(_)
        | ImportItem::Relation(_)
        | ImportItem::Team(_)
        | ImportItem::Sprint(_)
        | ImportItem::Placement(_)
        | ImportItem::SprintState(_) => None,
    };
    let Some(highest) = items.iter().filter_map(|(_, item)| number(item)).max() else { return Ok(()) };
    keys::hold_counter(tx, project.record.id).await?;
    diesel::update(card_counters::table.find(project.record.id.0))
        .filter(card_counters::last_number.lt(highest))
        .set(card_counters::last_number.eq(highest))
        .execute(tx)
        .await?;
    Ok(())
}

/// The tags and assignees of a new card. Its creation knows the active tags and the first assignee.
pub(super) struct LaterParts {
    pub(super) tags: Vec<CardTag>,
    pub(super) assignees: Vec<UserId>,
}

impl LaterParts {
    /// True if the creation didn't know all.
    pub(super) fn is_needed(&self) -> bool {
        self.later_tags().next().is_some() || self.later_assignees().next().is_some()
    }

    fn later_tags(&self) -> impl Iterator<Item = TagId> {
        self.tags.iter().filter(|tag| !tag.is_active).map(|tag| tag.id)
    }

    fn later_assignees(&self) -> impl Iterator<Item = UserId> {
        self.assignees.iter().skip(1).copied()
    }

    /// Their history.
    pub(super) fn entries(&self, card: CardId) -> Vec<Entry> {
        let tagged = self.later_tags().map(|tag| {
            Entry::new(card, HistoryKind::Tagged, FieldChanges::of_element("tag_id", None, Some(tag)))
        });
        let assigned = self.later_assignees().map(|user| {
            Entry::new(card, HistoryKind::Assigned, FieldChanges::of_element("user_id", None, Some(user)))
        });
        tagged.chain(assigned).collect()
    }
}

/// Writes all tags and assignees of new cards in their order.
pub(super) async fn add_later_parts<'a>(
    tx: &mut Tx,
    call: &Call<CardWrite>,
    cards: impl Iterator<Item = (CardId, &'a LaterParts)>,
) -> Result<()> {
    let row = |(id, later): (CardId, &LaterParts)| {
        let tag_ids: Vec<TagId> = later.tags.iter().map(|tag| tag.id).collect();
        json!({ "id": id, "tag_ids": tag_ids, "user_ids": later.assignees })
    };
    let rows: Vec<Value> = cards.map(row).collect();
    if !rows.is_empty() {
        Statement::new(include_str!("later_parts.sql"))
            .bind::<Jsonb, _>(Value::from(rows))
            .bind::<Timestamptz, _>(call.now.0)
            .execute(tx)
            .await?;
    }
    Ok(())
}
