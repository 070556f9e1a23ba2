//! Tags of a card. The project's list of tags is `card_tags`.

use auth::actor::CardWrite;
use database::error::SqlError;
use database::prelude::*;
use database::schema::{card_tag_links, card_tags};
use domain::id::{HistoryId, TagId};
use domain::planning::card::{CARD_MAX_TAGS, CardState, NewCard};
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::planning::tag::TagStatus;
use domain::{Error, Result, Rule};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::resources::planning::cards::history::{self, Entry, Recorded};
use crate::resources::store::Tx;

/// Adds a tag to a card. A card that has the tag stays unchanged.
///
/// # Errors
/// `NOT_FOUND` if the project has no such tag; `INVALID_REQUEST` if it is archived; `CARD_HISTORY_CONFLICT` if this tag moved
/// since the expected head.
pub async fn add(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    tag: TagId,
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    if card.state.tag_ids.contains(&tag) {
        return history::record(tx, card, call, Vec::new(), |_| {}).await;
    }
    let status: Option<String> = card_tags::table
        .find(tag.0)
        .filter(card_tags::project_id.eq(card.project.record.id.0))
        .select(card_tags::status)
        .first(tx)
        .await
        .optional()?;
    if status.ok_or_else(Error::not_found)? != TagStatus::Active.as_str() {
        return Err(Error::invalid("tagId", Rule::State, "the tag is archived"));
    }
    if card.state.tag_ids.len() >= CARD_MAX_TAGS {
        let message = format!("a card has at most {CARD_MAX_TAGS} tags");
        return Err(Error::invalid("tagId", Rule::MaxItems(CARD_MAX_TAGS), message));
    }
    let changes = FieldChanges::of_element("tag_id", None, Some(tag));
    let entries = vec![Entry::new(card.id(), HistoryKind::Tagged, changes)];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::insert_into(card_tag_links::table)
        .values((card_tag_links::card_id.eq(card.id().0), card_tag_links::tag_id.eq(tag.0)))
        .execute(tx)
        .await
        .map_err(|error| if is_missing_tag(&error) { Error::not_found() } else { error.into() })?;
    history::record(tx, card, call, entries, |state| state.tag_ids.push(tag)).await
}

/// Removes a tag from a card.
///
/// # Errors
/// `NOT_FOUND` if the card does not have it; `CARD_HISTORY_CONFLICT` if this tag moved since the expected head.
pub async fn remove(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    tag: TagId,
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    if !card.state.tag_ids.contains(&tag) {
        return Err(Error::not_found());
    }
    let changes = FieldChanges::of_element("tag_id", Some(tag), None);
    let entries = vec![Entry::new(card.id(), HistoryKind::Untagged, changes)];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::delete(card_tag_links::table.find((card.id().0, tag.0))).execute(tx).await?;
    history::record(tx, card, call, entries, |state| state.tag_ids.retain(|id| *id != tag)).await
}

/// Refuses the tags of a new card that are not among `active`, the active tags of its project.
pub(super) fn require_active(new: &NewCard, active: &[Uuid]) -> Result<()> {
    let refused = new.tags.iter().zip(&new.tag_positions).filter(|(tag, _)| !active.contains(&tag.0));
    Error::all(refused.map(|(_, position)| Err::<(), _>(not_active(*position)))).map(drop)
}

/// The failure of the insertion of `cards` if a tag does not exist.
pub(super) fn missing_tag(error: &SqlError, cards: &[&NewCard]) -> Option<Error> {
    if !is_missing_tag(error) {
        return None;
    }
    let missing = error.missing_key();
    let mut tags = cards.iter().flat_map(|card| card.tags.iter().zip(&card.tag_positions));
    let position = tags.find(|(tag, _)| Some(tag.0) == missing).map(|(_, position)| *position);
    Some(not_active(position.unwrap_or_default()))
}

fn is_missing_tag(error: &SqlError) -> bool {
    error.violates_foreign_key("card_tag_links_tag_id_fkey")
}

fn not_active(position: usize) -> Error {
    Error::invalid(format!("tagIds[{position}]"), Rule::Exists, "must name an active tag of the project")
}
