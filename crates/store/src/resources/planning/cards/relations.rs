//! Relations between two cards of a project. Both cards record them.

use auth::actor::{CardDelete, CardWrite, Requirement};
use database::decode;
use database::prelude::*;
use database::schema::card_relations;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Uuid as SqlUuid};
use domain::id::{CardId, HistoryId};
use domain::planning::card::CardState;
use domain::planning::history::{FieldChanges, HistoryKind, RELATION};
use domain::planning::relation::{
    CARD_MAX_RELATIONS, CardRelation, RelatedCard, RelationDirection, RelationKind,
};
use domain::{Error, Result};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::{self, Card};
use crate::access::project::Project;
use crate::access::rows::card::card_key;
use crate::resources::planning::cards::history::{self, Entry, Recorded};
use crate::resources::store::Tx;

/// A relation as a request names it: the card blocks, duplicates or is related to the other one.
#[derive(Clone, Copy, Debug)]
pub struct RelationRef {
    /// The card.
    pub card: CardId,
    /// The other card.
    pub other: CardId,
}

/// The relations of a card, by kind and key of the other card.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list<P: Requirement>(tx: &mut Tx, card: &Card<P>) -> Result<Vec<CardRelation>> {
    let rows: Vec<RelationRow> =
        Statement::new(include_str!("relations/list.sql")).bind::<SqlUuid, _>(card.id().0).load(tx).await?;
    rows.into_iter().map(RelationRow::relation).collect()
}

/// Relates two cards of the project. A repeat changes nothing.
///
/// # Errors
/// `NOT_FOUND` if one of them is no card of the project, or both are the same; `LIMIT_REACHED`; `CARD_HISTORY_CONFLICT` if the
/// relation moved since the expected head of the first card.
pub async fn add(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    (at, kind): (RelationRef, RelationKind),
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    let [card, other] = lock(tx, project, at).await?;
    let row = StoredRelation::of(at, kind);
    if !of_both(tx, at).await?.contains(&row) {
        for card in [&card, &other] {
            require_room(tx, card).await?;
        }
        let entries = row.entries(at, HistoryKind::Linked);
        history::require_unmoved(tx, &card, call, expected, &entries).await?;
        row.insert(tx).await?;
        return record(tx, call, [card, other], entries).await;
    }
    history::record(tx, &card, call, Vec::new(), |_| {}).await
}

/// Ends the relations of two cards: those of a kind, or all of them from either side.
///
/// # Errors
/// `NOT_FOUND` if they have no such relation; `CARD_HISTORY_CONFLICT` if they moved since the expected head of the first card.
pub async fn remove(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    (at, kind): (RelationRef, Option<RelationKind>),
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    let [card, other] = lock(tx, project, at).await?;
    let ended = of_both(tx, at).await?;
    let ended: Vec<StoredRelation> = ended
        .into_iter()
        .filter(|row| kind.is_none_or(|kind| *row == StoredRelation::of(at, kind)))
        .collect();
    if ended.is_empty() {
        return Err(Error::not_found());
    }
    let entries: Vec<Entry> = ended.iter().flat_map(|row| row.entries(at, HistoryKind::Unlinked)).collect();
    history::require_unmoved(tx, &card, call, expected, &of_card(&entries, at.card)).await?;
    for row in &ended {
        row.delete(tx).await?;
    }
    record(tx, call, [card, other], entries).await
}

/// The ends of a card's relations, for the histories of the other cards, which are locked. Its own rows say nothing more than
/// its deletion does.
pub(super) async fn release(tx: &mut Tx, card: &Card<CardDelete>, call: &Call<CardDelete>) -> Result<()> {
    let relations = list(tx, card).await?;
    let others: Vec<Uuid> = relations.iter().map(|relation| relation.card.id.0).collect();
    if others.is_empty() {
        return Ok(());
    }
    for state in card::lock(tx, &card.project, others).await? {
        let other = state.card.id;
        let of_other = relations.iter().filter(|relation| relation.card.id == other);
        let entries = of_other.map(|relation| {
            let value = value(card.id(), relation.kind, relation.direction.other());
            Entry::new(other, HistoryKind::Unlinked, FieldChanges::of_element(RELATION, Some(value), None))
        });
        let locked = Card { state, project: card.project.clone() };
        history::record(tx, &locked, call, entries.collect(), |_| {}).await?;
    }
    Ok(())
}

/// Locks both cards, in the order of their ids.
async fn lock(tx: &mut Tx, project: &Project<CardWrite>, at: RelationRef) -> Result<[Card<CardWrite>; 2]> {
    let mut locked = card::lock(tx, project, vec![at.card.0, at.other.0]).await?;
    let mut take = |id: CardId| -> Result<Card<CardWrite>> {
        let found = locked.iter().position(|state| state.card.id == id).ok_or_else(Error::not_found)?;
        Ok(Card { state: locked.swap_remove(found), project: project.clone() })
    };
    Ok([take(at.card)?, take(at.other)?])
}

async fn require_room(tx: &mut Tx, card: &Card<CardWrite>) -> Result<()> {
    let id = card.id().0;
    let count: i64 = card_relations::table
        .filter(card_relations::card_id.eq(id).or(card_relations::other_card_id.eq(id)))
        .count()
        .get_result(tx)
        .await?;
    let current = u64::try_from(count).map_err(Error::internal)?;
    if current < CARD_MAX_RELATIONS {
        return Ok(());
    }
    Err(Error::limit_reached("relations of a card", CARD_MAX_RELATIONS, current))
}

/// The relations between the two cards.
async fn of_both(tx: &mut Tx, at: RelationRef) -> Result<Vec<StoredRelation>> {
    let both = [at.card.0, at.other.0];
    let rows: Vec<(Uuid, Uuid, String)> = card_relations::table
        .filter(card_relations::card_id.eq_any(both).and(card_relations::other_card_id.eq_any(both)))
        .select((card_relations::card_id, card_relations::other_card_id, card_relations::kind))
        .load(tx)
        .await?;
    let read = |(first, second, kind): (Uuid, Uuid, String)| {
        Ok(StoredRelation { first: CardId(first), second: CardId(second), kind: decode::text(&kind)? })
    };
    rows.into_iter().map(read).collect()
}

/// Records the rows of each card; returns the first one.
async fn record(
    tx: &mut Tx,
    call: &Call<CardWrite>,
    [card, other]: [Card<CardWrite>; 2],
    entries: Vec<Entry>,
) -> Result<Recorded<CardState>> {
    history::record(tx, &other, call, of_card(&entries, other.id()), |_| {}).await?;
    history::record(tx, &card, call, of_card(&entries, card.id()), |_| {}).await
}

fn of_card(entries: &[Entry], card: CardId) -> Vec<Entry> {
    entries.iter().filter(|entry| entry.card == card).cloned().collect()
}

/// The value of a relation in a card's history.
fn value(other: CardId, kind: RelationKind, direction: RelationDirection) -> Value {
    json!({ "id": other, "kind": kind, "direction": direction })
}

/// A row of `card_relations`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StoredRelation {
    first: CardId,
    second: CardId,
    kind: RelationKind,
}

impl StoredRelation {
    fn of(at: RelationRef, kind: RelationKind) -> Self {
        let (first, second) = match kind {
            RelationKind::Relates if at.other < at.card => (at.other, at.card),
            _ => (at.card, at.other),
        };
        Self { first, second, kind }
    }

    /// The rows of both cards' histories.
    fn entries(self, at: RelationRef, change: HistoryKind) -> Vec<Entry> {
        let entry = |card: CardId, other: CardId| {
            let value = Some(value(other, self.kind, RelationDirection::of(self.kind, self.first == card)));
            let (before, after) = if change == HistoryKind::Linked { (None, value) } else { (value, None) };
            Entry::new(card, change, FieldChanges::of_element(RELATION, before, after))
        };
        vec![entry(at.card, at.other), entry(at.other, at.card)]
    }

    async fn insert(self, tx: &mut Tx) -> Result<()> {
        diesel::insert_into(card_relations::table)
            .values((
                card_relations::card_id.eq(self.first.0),
                card_relations::other_card_id.eq(self.second.0),
                card_relations::kind.eq(self.kind.as_str()),
            ))
            .execute(tx)
            .await?;
        Ok(())
    }

    async fn delete(self, tx: &mut Tx) -> Result<()> {
        let row = card_relations::table.find((self.first.0, self.second.0, self.kind.as_str()));
        diesel::delete(row).execute(tx).await?;
        Ok(())
    }
}

#[derive(QueryableByName)]
struct RelationRow {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Bool)]
    is_first: bool,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    project_key: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Bool)]
    is_open: bool,
}

impl RelationRow {
    fn relation(self) -> Result<CardRelation> {
        let kind = decode::text(&self.kind)?;
        let card = RelatedCard {
            id: CardId(self.id),
            key: card_key(self.project_key.as_deref(), self.number)?,
            name: decode::name(&self.name)?,
            is_open: self.is_open,
        };
        Ok(CardRelation { kind, direction: RelationDirection::of(kind, self.is_first), card })
    }
}
