//! Cards: list, change, delete. Submodules: filters, creation, assignees, tags, links, comments, attachments, places on
//! boards, history.

pub mod assignees;
pub mod attachments;
pub(crate) mod boards;
pub mod bulk;
pub mod checklist;
pub(crate) mod clearing;
pub mod comments;
pub(crate) mod commits;
pub mod creation;
pub mod details;
pub mod export;
pub mod filter;
pub mod history;
pub mod keys;
pub mod mentions;
pub(super) mod names;
pub mod objects;
pub mod parents;
pub mod placements;
mod refolding;
pub mod relations;
pub mod relocation;
pub mod search;
pub mod tags;
pub mod view;

use auth::actor::{CardDelete, CardRead, CardWrite};
use database::prelude::*;
use database::schema::{cards, deleted_cards};
use diesel::sql_types::Uuid as SqlUuid;
use domain::id::HistoryId;
use domain::planning::card::{CardChanges, CardPosition, CardRecord, CardState, ShownCard};
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::time::Timestamp;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::access::rows::card::CardStateRow;
use crate::access::rows::placement;
use crate::resources::planning::cards::filter::{CardFilter, FilteredPage, sorted};
use crate::resources::planning::cards::history::{Entry, Recorded};
use crate::resources::planning::cards::mentions::WrittenText;
use crate::resources::planning::custom_fields::values;
use crate::resources::store::Tx;
use crate::resources::stored_files;

/// The project's cards after a position that match a filter, as the caller sees them.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    filter: &CardFilter,
    after: Option<CardPosition>,
    rows: u32,
) -> Result<Vec<ShownCard>> {
    let named = search::by_key(tx, vec![project.record.id.0], filter).await?;
    if after.is_none() && !named.is_empty() {
        return view::cards(tx, call, named).await;
    }
    if let Some(order) = &filter.by_field {
        let found = sorted::page(tx, call, &[project.record.id], (filter, order), (after, rows)).await?;
        return view::cards(tx, call, search::load(tx, &found).await?).await;
    }
    let page = FilteredPage::of(tx, call, &[project.record.id], filter, (after, rows)).await?;
    let statement = page.statement(include_str!("cards/list.sql")).bind::<SqlUuid, _>(project.record.id.0);
    let rows: Vec<CardStateRow> = page.bind(statement).load(tx).await?;
    let states: Result<Vec<CardState>> = rows.into_iter().map(CardStateRow::state).collect();
    view::cards(tx, call, states?).await
}

/// Changes a card's own fields. Only values that differ are recorded.
///
/// # Errors
/// `CARD_HISTORY_CONFLICT` if one of the fields moved since the expected head; `INVALID_REQUEST` for a parent that the card can't
/// have.
pub async fn update(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    changes: &CardChanges,
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    let before = &card.state.card;
    let mut after = changed(before, changes, call.now);
    let parent = match changes.parent() {
        Some(parent) => Some(parents::change(tx, card, call, parent).await?),
        None => None,
    };
    if let Some(parent) = &parent {
        after.fields.parent_id = parent.near();
    }
    if let Some(inputs) = changes.field_inputs() {
        after.fields.fields = values::changed(tx, &card.project, &before.fields.fields, inputs).await?;
    }
    let described =
        (before.fields.description != after.fields.description).then(|| after.fields.description.clone());
    let fields = before.fields.history(&after.fields);
    let transition = if after.is_open { HistoryKind::Reopened } else { HistoryKind::Closed };
    let openness = FieldChanges::none().and("is_open", before.is_open, after.is_open);
    let entries =
        [Entry::new(card.id(), HistoryKind::Updated, fields), Entry::new(card.id(), transition, openness)];
    let entries: Vec<Entry> = entries.into_iter().filter(|entry| !entry.changes.is_empty()).collect();
    let far = parent.map(|parent| parent.seen_entries(card.id())).unwrap_or_default();
    history::require_unmoved(tx, card, call, expected, &[entries.as_slice(), far.as_slice()].concat())
        .await?;
    if let Some(description) = described {
        let (before, after) = (before.fields.description.as_str(), description.as_str());
        let text = WrittenText { card: card.id(), comment: None, before, after };
        mentions::note(tx, &card.project, call, &[text]).await?;
    }
    if let Some(parent) = &parent {
        parent.write(tx, card, call).await?;
    }
    let changed = history::record(tx, card, call, entries, |state| state.card = after).await?;
    Ok(match parent {
        // A parent of another project is no change of the card itself.
        Some(parent) => changed.map(|state| CardState { far_parent: parent.far(), ..state }),
        None => changed,
    })
}

/// Deletes a card with its comments, attachments, links and places on boards. Its history stays; rows record the end of
/// each link and place, and of the card.
///
/// # Errors
/// `CARD_HISTORY_CONFLICT` if the card changed since the expected head.
pub async fn delete(
    tx: &mut Tx,
    card: &Card<CardDelete>,
    call: &Call<CardDelete>,
    expected: Option<HistoryId>,
) -> Result<Recorded<()>> {
    history::require_head(tx, card, call, expected).await?;
    parents::release_children(tx, card, call).await?;
    relations::release(tx, card, call).await?;
    let (id, state) = (card.id(), &card.state);
    let ended = |kind, field, element: Uuid| {
        Entry::new(id, kind, FieldChanges::of_element(field, Some(element), None))
    };
    let placed = placement::list(tx, &[id]).await?;
    // Places come first: between the numbers of one statement's rows, a reader who sees none of the boards finds no gap.
    let mut entries: Vec<Entry> =
        placed.iter().map(|(card, place)| placements::removal(*card, place)).collect();
    entries.extend(state.user_ids.iter().map(|user| ended(HistoryKind::Unassigned, "user_id", user.0)));
    entries.extend(state.tag_ids.iter().map(|tag| ended(HistoryKind::Untagged, "tag_id", tag.0)));
    let linked = objects::list(tx, card).await?;
    entries.extend(linked.iter().map(|object| ended(HistoryKind::Unlinked, "object_id", object.0)));
    let fields = FieldChanges::none()
        .and("name", Some(&state.card.fields.name), None)
        .and("effort", Some(state.card.fields.effort), None)
        .and("is_open", Some(state.card.is_open), None);
    entries.push(Entry::new(id, HistoryKind::Deleted, fields));
    let written = history::write(tx, call, card.project.record.id, &entries).await?;
    let attached = attachments::attached_files(tx, card).await?;
    keep_deleted(tx, card).await?;
    let deleted = diesel::delete(cards::table.find(id.0)).execute(tx).await?;
    if deleted != 1 {
        return Err(Error::internal("a locked card is gone"));
    }
    stored_files::release(tx, card.project.record.id, &attached).await?;
    Ok(written)
}

/// Keeps for the past of a card what its history doesn't tell: an import has given it another author and other times.
async fn keep_deleted(tx: &mut Tx, card: &Card<CardDelete>) -> Result<()> {
    let record = &card.state.card;
    let written = diesel::insert_into(deleted_cards::table)
        .values((
            deleted_cards::id.eq(record.id.0),
            deleted_cards::project_id.eq(record.project_id.0),
            deleted_cards::number.eq(record.number),
            deleted_cards::created_by.eq(record.created_by_user.0),
            deleted_cards::created_at.eq(record.created_at.0),
            deleted_cards::closed_at.eq(record.closed_at.map(|time| time.0)),
        ))
        .execute(tx)
        .await?;
    if written == 1 { Ok(()) } else { Err(Error::internal("a deleted card was not kept")) }
}

/// The card after changes.
fn changed(card: &CardRecord, changes: &CardChanges, now: Timestamp) -> CardRecord {
    let is_open = changes.is_open.unwrap_or(card.is_open);
    let closed_at = match (card.is_open, is_open) {
        (true, false) => Some(now),
        (_, true) => None,
        (false, false) => card.closed_at,
    };
    CardRecord { fields: card.fields.changed(changes), is_open, closed_at, ..card.clone() }
}
