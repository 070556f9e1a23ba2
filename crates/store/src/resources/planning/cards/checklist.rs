//! Checklists of cards. Each line is changed alone, so that two people lose nothing; the card counts its lines.

use std::collections::HashMap;

use auth::actor::{CardRead, CardWrite};
use database::decode;
use database::prelude::*;
use database::schema::card_checklist_items;
use domain::id::{CardId, ChecklistItemId, HistoryId};
use domain::planning::checklist::{CHECKLIST_MAX_ITEMS, ChecklistCount, ChecklistItem, ChecklistText};
use domain::planning::history::{CHECKLIST_ITEM, FieldChanges, HistoryKind};
use domain::position::Position;
use domain::{Code, Error, Result, Rule};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::resources::planning::cards::history::{self, Entry, Recorded};
use crate::resources::store::Tx;

/// A line to be added.
#[derive(Clone, Debug)]
pub struct NewChecklistItem {
    /// Its text.
    pub text: ChecklistText,
    /// True if it is done already.
    pub is_done: bool,
    /// The line that it follows; `None`: it is the last.
    pub after: Option<ChecklistItemId>,
}

/// Changes of a line. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChecklistItemChanges {
    /// Its text.
    pub text: Option<ChecklistText>,
    /// True if it is done.
    pub is_done: Option<bool>,
    /// The line that it follows; `Some(None)`: it is the first.
    pub after: Option<Option<ChecklistItemId>>,
}

/// A card's lines in their order.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, card: &Card<CardRead>) -> Result<Vec<ChecklistItem>> {
    Ok(load(tx, card).await?.into_iter().map(|line| line.item).collect())
}

/// The lines of each of several cards.
///
/// # Errors
/// `UNAVAILABLE`.
pub(in crate::resources::planning) async fn of_cards(
    tx: &mut Tx,
    cards: &[CardId],
) -> Result<HashMap<CardId, Vec<ChecklistItem>>> {
    let mut checklists: HashMap<CardId, Vec<ChecklistItem>> = HashMap::new();
    for (card, line) in load_all(tx, cards).await? {
        checklists.entry(card).or_default().push(line.item);
    }
    Ok(checklists)
}

/// Adds a line.
///
/// # Errors
/// `LIMIT_REACHED`; `INVALID_REQUEST` if the line that it is to follow is gone; `CARD_HISTORY_CONFLICT` if the card never had
/// the expected head.
pub async fn add(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    new: &NewChecklistItem,
    expected: Option<HistoryId>,
) -> Result<Recorded<ChecklistItem>> {
    let lines = load(tx, card).await?;
    let current = u64::try_from(lines.len()).map_err(Error::internal)?;
    if current >= CHECKLIST_MAX_ITEMS {
        return Err(Error::limit_reached("lines of a checklist", CHECKLIST_MAX_ITEMS, current));
    }
    let item =
        ChecklistItem { id: ChecklistItemId::new(call.now), text: new.text.clone(), is_done: new.is_done };
    let position = match new.after {
        Some(after) => position_after(&lines, Some(after), item.id)?,
        None => free(lines.last().map(|line| &line.position), None)?,
    };
    let entries = vec![entry(card.id(), None, Some(&item))];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::insert_into(card_checklist_items::table)
        .values((
            card_checklist_items::id.eq(item.id.0),
            card_checklist_items::card_id.eq(card.id().0),
            card_checklist_items::position.eq(position.as_str()),
            card_checklist_items::text.eq(item.text.as_str()),
            card_checklist_items::is_done.eq(item.is_done),
            card_checklist_items::created_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    let counted = count(lines.iter().map(|line| &line.item).chain([&item]))?;
    let written = history::record(tx, card, call, entries, |state| state.checklist = counted).await?;
    Ok(written.map(|_| item))
}

/// Changes a line, or moves it. A move alone is no change of the card: it leaves no row in its history.
///
/// # Errors
/// `NOT_FOUND`; `INVALID_REQUEST` if the line that it is to follow is gone or itself; `CARD_HISTORY_CONFLICT` if the line
/// changed since the expected head.
pub async fn update(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    (id, changes): (ChecklistItemId, &ChecklistItemChanges),
    expected: Option<HistoryId>,
) -> Result<Recorded<ChecklistItem>> {
    let lines = load(tx, card).await?;
    let before = &lines.iter().find(|line| line.item.id == id).ok_or_else(Error::not_found)?.item;
    let after = ChecklistItem {
        id,
        text: changes.text.clone().unwrap_or_else(|| before.text.clone()),
        is_done: changes.is_done.unwrap_or(before.is_done),
    };
    let entries: Vec<Entry> =
        if *before == after { Vec::new() } else { vec![entry(card.id(), Some(before), Some(&after))] };
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    let position = changes.after.map(|following| position_after(&lines, following, id)).transpose()?;
    diesel::update(card_checklist_items::table.find(id.0))
        .set((
            card_checklist_items::text.eq(after.text.as_str()),
            card_checklist_items::is_done.eq(after.is_done),
            position.map(|position| card_checklist_items::position.eq(position.as_str().to_owned())),
        ))
        .execute(tx)
        .await?;
    let items = lines.iter().map(|line| if line.item.id == id { &after } else { &line.item });
    let counted = count(items)?;
    let written = history::record(tx, card, call, entries, |state| state.checklist = counted).await?;
    Ok(written.map(|_| after))
}

/// Deletes a line.
///
/// # Errors
/// `NOT_FOUND`; `CARD_HISTORY_CONFLICT` if the line changed since the expected head.
pub async fn delete(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    id: ChecklistItemId,
    expected: Option<HistoryId>,
) -> Result<Recorded<()>> {
    let lines = load(tx, card).await?;
    let deleted = &lines.iter().find(|line| line.item.id == id).ok_or_else(Error::not_found)?.item;
    let entries = vec![entry(card.id(), Some(deleted), None)];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::delete(card_checklist_items::table.find(id.0)).execute(tx).await?;
    let counted = count(lines.iter().map(|line| &line.item).filter(|item| item.id != id))?;
    let written = history::record(tx, card, call, entries, |state| state.checklist = counted).await?;
    Ok(written.map(|_| ()))
}

/// A line with its position.
struct Line {
    item: ChecklistItem,
    position: Position,
}

async fn load<P>(tx: &mut Tx, card: &Card<P>) -> Result<Vec<Line>> {
    Ok(load_all(tx, &[card.id()]).await?.into_iter().map(|(_, line)| line).collect())
}

/// The lines of cards in their order, each with its card.
async fn load_all(tx: &mut Tx, cards: &[CardId]) -> Result<Vec<(CardId, Line)>> {
    let rows: Vec<(Uuid, Uuid, String, String, bool)> = card_checklist_items::table
        .filter(card_checklist_items::card_id.eq_any(cards.iter().map(|card| card.0).collect::<Vec<_>>()))
        .order((card_checklist_items::card_id, card_checklist_items::position, card_checklist_items::id))
        .select((
            card_checklist_items::card_id,
            card_checklist_items::id,
            card_checklist_items::position,
            card_checklist_items::text,
            card_checklist_items::is_done,
        ))
        .load(tx)
        .await?;
    let line = |(card, id, position, text, is_done): (Uuid, Uuid, String, String, bool)| {
        let text = ChecklistText::try_from(decode::bounded(text)?).map_err(Error::internal)?;
        let item = ChecklistItem { id: ChecklistItemId(id), text, is_done };
        Ok((CardId(card), Line { item, position: decode::parse(&position)? }))
    };
    rows.into_iter().map(line).collect()
}

/// The position behind a line, or before all of them, without line `moved`, which leaves its place.
fn position_after(
    lines: &[Line],
    following: Option<ChecklistItemId>,
    moved: ChecklistItemId,
) -> Result<Position> {
    let mut others = lines.iter().filter(|line| line.item.id != moved);
    let Some(following) = following else {
        return free(None, others.next().map(|line| &line.position));
    };
    let before = others.find(|line| line.item.id == following);
    let before = before.ok_or_else(|| Error::broken("afterItemId", Rule::Exists))?;
    free(Some(&before.position), others.next().map(|line| &line.position))
}

fn free(before: Option<&Position>, after: Option<&Position>) -> Result<Position> {
    let full = || {
        Error::new(Code::PositionConflict, "The lines here were moved too often. Add the line at the end.")
    };
    Position::between(before, after).ok_or_else(full)
}

fn count<'a>(items: impl Iterator<Item = &'a ChecklistItem> + Clone) -> Result<ChecklistCount> {
    let total = u32::try_from(items.clone().count()).map_err(Error::internal)?;
    let done = u32::try_from(items.filter(|item| item.is_done).count()).map_err(Error::internal)?;
    Ok(ChecklistCount { total, done })
}

/// The row of the history of a line that comes, changes or goes.
pub(super) fn entry(card: CardId, before: Option<&ChecklistItem>, after: Option<&ChecklistItem>) -> Entry {
    let value = |item: &ChecklistItem| -> Value { json!(item) };
    let changes = FieldChanges::of_element(CHECKLIST_ITEM, before.map(value), after.map(value));
    Entry::new(card, HistoryKind::Updated, changes)
}
