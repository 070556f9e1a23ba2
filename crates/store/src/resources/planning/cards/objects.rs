//! Links from cards to objects of the project's tree.

use auth::actor::{CardWrite, Requirement};
use database::prelude::*;
use database::schema::card_objects;
use domain::id::{HistoryId, ObjectId};
use domain::planning::card::CardState;
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::resources::branch_objects;
use crate::resources::planning::cards::history::{self, Entry, Recorded};
use crate::resources::store::Tx;

/// The objects that a card is linked to.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list<P: Requirement>(tx: &mut Tx, card: &Card<P>) -> Result<Vec<ObjectId>> {
    let ids: Vec<Uuid> = card_objects::table
        .filter(card_objects::card_id.eq(card.id().0))
        .order(card_objects::object_id)
        .select(card_objects::object_id)
        .load(tx)
        .await?;
    Ok(ids.into_iter().map(ObjectId).collect())
}

/// Links a card to an object of the witness' branch. The link stays if the object is deleted, because it may be restored.
///
/// # Errors
/// `NOT_FOUND` if the tree has no such object; `CARD_HISTORY_CONFLICT` if this link moved since the expected head.
pub async fn link(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    object: ObjectId,
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    if is_linked(tx, card, object).await? {
        return history::record(tx, card, call, Vec::new(), |_| {}).await;
    }
    let (project, branch) = (card.project.record.id, &card.project.branch);
    let is_root = object == ObjectId::from(project);
    if !is_root && branch_objects::find(tx, project, branch, object).await?.is_none() {
        return Err(Error::not_found());
    }
    let changes = FieldChanges::of_element("object_id", None, Some(object));
    let entries = vec![Entry::new(card.id(), HistoryKind::Linked, changes)];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::insert_into(card_objects::table)
        .values((card_objects::card_id.eq(card.id().0), card_objects::object_id.eq(object.0)))
        .execute(tx)
        .await?;
    history::record(tx, card, call, entries, |_| {}).await
}

/// Ends a link.
///
/// # Errors
/// `NOT_FOUND` if there is no link; `CARD_HISTORY_CONFLICT` if this link moved since the expected head.
pub async fn unlink(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    object: ObjectId,
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    if !is_linked(tx, card, object).await? {
        return Err(Error::not_found());
    }
    let changes = FieldChanges::of_element("object_id", Some(object), None);
    let entries = vec![Entry::new(card.id(), HistoryKind::Unlinked, changes)];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::delete(card_objects::table.find((card.id().0, object.0))).execute(tx).await?;
    history::record(tx, card, call, entries, |_| {}).await
}

async fn is_linked(tx: &mut Tx, card: &Card<CardWrite>, object: ObjectId) -> Result<bool> {
    Ok(list(tx, card).await?.contains(&object))
}
