//! The tags that a card has.

use auth::actor::CardWrite;
use domain::card::{CARD_MAX_TAGS, CardState};
use domain::history::{FieldChanges, HistoryKind};
use domain::id::{HistoryId, TagId};
use domain::tag::TagStatus;
use domain::{Error, Result};

use crate::access::call::Call;
use crate::access::card::Card;
use crate::db::error::SqlError;
use crate::db::prelude::*;
use crate::db::schema::{card_tag_links, card_tags};
use crate::resources::cards::history::{self, Entry, Recorded};
use crate::resources::store::Tx;

/// Puts a tag on a card, unless it has it already.
///
/// # Errors
/// `NOT_FOUND` where the project has no such tag; `INVALID_REQUEST` where it is archived; `CARD_HISTORY_CONFLICT`
/// where this tag moved since the expected head.
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
        return Err(Error::invalid("tagId", "active", "the tag is archived"));
    }
    if card.state.tag_ids.len() >= CARD_MAX_TAGS {
        let message = format!("a card has at most {CARD_MAX_TAGS} tags");
        return Err(Error::invalid("tagId", "maxItems", message));
    }
    let changes = FieldChanges::of_element("tag_id", None, Some(tag));
    let entries = vec![Entry::new(card.id(), HistoryKind::Tagged, changes)];
    history::expect(tx, card, expected, &entries).await?;
    diesel::insert_into(card_tag_links::table)
        .values((card_tag_links::card_id.eq(card.id().0), card_tag_links::tag_id.eq(tag.0)))
        .execute(tx)
        .await
        .map_err(|error| if is_gone(&error) { Error::not_found() } else { error.into() })?;
    history::record(tx, card, call, entries, |state| state.tag_ids.push(tag)).await
}

/// Takes a tag off a card.
///
/// # Errors
/// `NOT_FOUND` where the card does not have it; `CARD_HISTORY_CONFLICT` where this tag moved since the expected
/// head.
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
    history::expect(tx, card, expected, &entries).await?;
    diesel::delete(card_tag_links::table.find((card.id().0, tag.0))).execute(tx).await?;
    history::record(tx, card, call, entries, |state| state.tag_ids.retain(|id| *id != tag)).await
}

/// Refuses a new card with `tags`, of which `active` are active ones of its project.
pub(super) fn require_active(tags: &[TagId], active: i64) -> Result<()> {
    if usize::try_from(active).is_ok_and(|active| active == tags.len()) { Ok(()) } else { Err(not_active()) }
}

/// The failure of a new card's insertion: a tag of it may have gone since it was looked at, or never have been.
pub(super) fn gone(error: &SqlError) -> Option<Error> {
    is_gone(error).then(not_active)
}

fn is_gone(error: &SqlError) -> bool {
    error.violates_foreign_key("card_tag_links_tag_id_fkey")
}

fn not_active() -> Error {
    Error::invalid("tagIds", "active", "must name active tags of the project")
}
