//! Relations between two cards of one owner's projects. Both cards record them.
//!
//! A relation to a card of another project is seen by those who read the cards of both. Its rows in histories move no head
//! (docs/design/history.md).

use std::collections::{BTreeMap, HashMap};

use auth::actor::{CardDelete, CardWrite, Requirement};
use database::decode;
use database::prelude::*;
use database::schema::{card_relations, cards, projects};
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text, Uuid as SqlUuid};
use domain::id::{CardId, HistoryId, ProjectId};
use domain::people::permission::Permission;
use domain::planning::card::CardState;
use domain::planning::history::{FieldChanges, HistoryKind, RELATION};
use domain::planning::relation::{
    CARD_MAX_RELATIONS, CardRelation, RelatedCard, RelationDirection, RelationKind,
};
use domain::{Error, Result};
use serde_json::json;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::{self, Card};
use crate::access::project::Project;
use crate::access::reachable;
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

/// A card of a relation, which is locked.
struct RelatedEnd {
    card: CardId,
    /// The card's project.
    project: ProjectId,
}

/// The two locked cards of a relation.
struct LockedPair {
    card: Card<CardWrite>,
    other: CardState,
}

/// The relations of a card to cards that the caller sees, by kind and key of the other card.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list<P: Requirement>(tx: &mut Tx, card: &Card<P>, call: &Call<P>) -> Result<Vec<CardRelation>> {
    let related = reachable::related(tx, call, &[card.project.record.id]).await?;
    let mut relations = of_cards(tx, &[card.id()], &related).await?;
    Ok(relations.remove(&card.id()).unwrap_or_default())
}

/// The relations of each of several cards of a project, as [`list`] has them. The caller reads the cards of `related`.
///
/// # Errors
/// `UNAVAILABLE`.
pub(in crate::resources::planning) async fn of_cards(
    tx: &mut Tx,
    cards: &[CardId],
    related: &[Uuid],
) -> Result<HashMap<CardId, Vec<CardRelation>>> {
    let rows: Vec<RelationOfCardRow> = Statement::new(include_str!("relations/list.sql"))
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|card| card.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(related.to_vec())
        .load(tx)
        .await?;
    let mut relations: HashMap<CardId, Vec<CardRelation>> = HashMap::new();
    for row in rows {
        relations.entry(CardId(row.card_id)).or_default().push(row.relation.relation()?);
    }
    Ok(relations)
}

/// Relates a card of the project to another one of its owner's. A repeat changes nothing. The caller must read the other card.
///
/// # Errors
/// `NOT_FOUND` if the first is no card of the project, or the other none of the owner's that the caller sees, or both are the
/// same; `LIMIT_REACHED`; `CARD_HISTORY_CONFLICT` if the relation moved since the expected head of the first card.
pub async fn add(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    (at, kind): (RelationRef, RelationKind),
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    let pair = LockedPair::lock(tx, project, call, at).await?;
    // A relation from before the transfer of a project can be ended, but no other one is made.
    if !is_of_owner(tx, project, pair.other.card.project_id).await? {
        return Err(Error::not_found());
    }
    let row = StoredRelation::of(at, kind);
    if !of_both(tx, at).await?.contains(&row) {
        let [card, other] = pair.ends();
        require_room(tx, &card, other.project).await?;
        require_room(tx, &other, card.project).await?;
        let entries = row.entries(&pair, HistoryKind::Linked);
        history::require_unmoved(tx, &pair.card, call, expected, &entries).await?;
        row.insert(tx).await?;
        return pair.record(tx, call, entries).await;
    }
    history::record(tx, &pair.card, call, Vec::new(), |_| {}).await
}

/// Ends the relations of two cards: those of a kind, or all of them from either side.
///
/// # Errors
/// `NOT_FOUND` if they have no such relation, or the caller doesn't see the other card; `CARD_HISTORY_CONFLICT` if they moved
/// since the expected head of the first card.
pub async fn remove(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    (at, kind): (RelationRef, Option<RelationKind>),
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    let pair = LockedPair::lock(tx, project, call, at).await?;
    let ended = of_both(tx, at).await?;
    let ended: Vec<StoredRelation> = ended
        .into_iter()
        .filter(|row| kind.is_none_or(|kind| *row == StoredRelation::of(at, kind)))
        .collect();
    if ended.is_empty() {
        return Err(Error::not_found());
    }
    let entries: Vec<Entry> =
        ended.iter().flat_map(|row| row.entries(&pair, HistoryKind::Unlinked)).collect();
    history::require_unmoved(tx, &pair.card, call, expected, &of_card(&entries, at.card)).await?;
    for row in &ended {
        row.delete(tx).await?;
    }
    pair.record(tx, call, entries).await
}

/// The ends of a card's relations, for the histories of the other cards, which are locked: also of those that the caller doesn't
/// see. Its own rows say nothing more than its deletion does.
pub(super) async fn release(tx: &mut Tx, card: &Card<CardDelete>, call: &Call<CardDelete>) -> Result<()> {
    let relations = of_card_anywhere(tx, card.id()).await?;
    if relations.is_empty() {
        return Ok(());
    }
    let others: Vec<Uuid> = relations.iter().map(|relation| relation.other(card.id()).0).collect();
    let mut far: BTreeMap<ProjectId, Vec<Entry>> = BTreeMap::new();
    let deleted = RelatedEnd { card: card.id(), project: card.project.record.id };
    for state in card::lock_of_any_project(tx, others).await? {
        let end = RelatedEnd { card: state.card.id, project: state.card.project_id };
        let of_end = relations.iter().filter(|relation| relation.other(card.id()) == end.card);
        let entries = of_end.map(|relation| relation.entry(&end, &deleted, HistoryKind::Unlinked));
        if end.project == deleted.project {
            let locked = Card { state, project: card.project.clone() };
            history::record(tx, &locked, call, entries.collect(), |_| {}).await?;
        } else {
            far.entry(end.project).or_default().extend(entries);
        }
    }
    for (project, entries) in far {
        history::append(tx, call, project, &entries).await?;
    }
    Ok(())
}

impl LockedPair {
    /// Locks both cards, in the order of their ids. A card of another project counts if the caller reads that project's cards.
    async fn lock(
        tx: &mut Tx,
        project: &Project<CardWrite>,
        call: &Call<CardWrite>,
        at: RelationRef,
    ) -> Result<Self> {
        // Nobody waits for, or blocks, a card on which the call is not permitted.
        if project_of(tx, at.card).await? != project.record.id {
            return Err(Error::not_found());
        }
        let of_other = project_of(tx, at.other).await?;
        if of_other != project.record.id && !is_read(tx, call, of_other).await? {
            return Err(Error::not_found());
        }
        let mut locked = card::lock_of_any_project(tx, vec![at.card.0, at.other.0]).await?;
        let mut take = |id: CardId, project: ProjectId| -> Result<CardState> {
            let is_it = |state: &CardState| state.card.id == id && state.card.project_id == project;
            let found = locked.iter().position(is_it).ok_or_else(Error::not_found)?;
            Ok(locked.swap_remove(found))
        };
        let state = take(at.card, project.record.id)?;
        let other = take(at.other, of_other)?;
        Ok(Self { card: Card { state, project: project.clone() }, other })
    }

    fn ends(&self) -> [RelatedEnd; 2] {
        let card = RelatedEnd { card: self.card.id(), project: self.card.project.record.id };
        [card, RelatedEnd { card: self.other.card.id, project: self.other.card.project_id }]
    }

    /// Records the rows of each card; returns the first one. Rows about a card of another project change nothing of a card
    /// itself, so they are only appended.
    async fn record(
        self,
        tx: &mut Tx,
        call: &Call<CardWrite>,
        entries: Vec<Entry>,
    ) -> Result<Recorded<CardState>> {
        let [card, other] = self.ends();
        let (of_card, of_other) = (of_card(&entries, card.card), of_card(&entries, other.card));
        if card.project == other.project {
            let locked = Card { state: self.other, project: self.card.project.clone() };
            history::record(tx, &locked, call, of_other, |_| {}).await?;
            return history::record(tx, &self.card, call, of_card, |_| {}).await;
        }
        history::append(tx, call, other.project, &of_other).await?;
        history::append(tx, call, card.project, &of_card).await?;
        Statement::new(include_str!("relations/relate_projects.sql"))
            .bind::<SqlUuid, _>(card.project.0)
            .bind::<SqlUuid, _>(other.project.0)
            .execute(tx)
            .await?;
        history::record(tx, &self.card, call, Vec::new(), |_| {}).await
    }
}

async fn project_of(tx: &mut Tx, card: CardId) -> Result<ProjectId> {
    let found: Option<Uuid> =
        cards::table.find(card.0).select(cards::project_id).first(tx).await.optional()?;
    found.map(ProjectId).ok_or_else(Error::not_found)
}

/// True if both projects have the same owner.
async fn is_of_owner(tx: &mut Tx, project: &Project<CardWrite>, other: ProjectId) -> Result<bool> {
    let owner: Option<Uuid> =
        projects::table.find(other.0).select(projects::owner_id).first(tx).await.optional()?;
    Ok(owner == Some(project.record.owner_id.0))
}

/// True if the caller reads the cards of another project.
async fn is_read(tx: &mut Tx, call: &Call<CardWrite>, other: ProjectId) -> Result<bool> {
    Ok(reachable::among(tx, call, &[other], Permission::CardRead).await?.contains(&other))
}

/// Limits the relations of a card to cards of one project. Those to others don't count: they may be hidden from the caller.
async fn require_room(tx: &mut Tx, end: &RelatedEnd, other: ProjectId) -> Result<()> {
    let row: RelationCountRow = Statement::new(include_str!("relations/count.sql"))
        .bind::<SqlUuid, _>(end.card.0)
        .bind::<SqlUuid, _>(other.0)
        .get_result(tx)
        .await?;
    let current = u64::try_from(row.relations).map_err(Error::internal)?;
    if current < CARD_MAX_RELATIONS {
        return Ok(());
    }
    Err(Error::limit_reached("relations of a card", CARD_MAX_RELATIONS, current))
}

/// All relations of a card, also to cards that the caller doesn't see.
async fn of_card_anywhere(tx: &mut Tx, card: CardId) -> Result<Vec<StoredRelation>> {
    let rows: Vec<(Uuid, Uuid, String)> = card_relations::table
        .filter(card_relations::card_id.eq(card.0).or(card_relations::other_card_id.eq(card.0)))
        .select((card_relations::card_id, card_relations::other_card_id, card_relations::kind))
        .load(tx)
        .await?;
    rows.into_iter().map(StoredRelation::read).collect()
}

/// The relations between the two cards.
async fn of_both(tx: &mut Tx, at: RelationRef) -> Result<Vec<StoredRelation>> {
    let both = [at.card.0, at.other.0];
    let rows: Vec<(Uuid, Uuid, String)> = card_relations::table
        .filter(card_relations::card_id.eq_any(both).and(card_relations::other_card_id.eq_any(both)))
        .select((card_relations::card_id, card_relations::other_card_id, card_relations::kind))
        .load(tx)
        .await?;
    rows.into_iter().map(StoredRelation::read).collect()
}

fn of_card(entries: &[Entry], card: CardId) -> Vec<Entry> {
    entries.iter().filter(|entry| entry.card == card).cloned().collect()
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

    fn read((first, second, kind): (Uuid, Uuid, String)) -> Result<Self> {
        Ok(Self { first: CardId(first), second: CardId(second), kind: decode::text(&kind)? })
    }

    /// The card on the other side.
    fn other(self, card: CardId) -> CardId {
        if self.first == card { self.second } else { self.first }
    }

    /// The rows of both cards' histories.
    fn entries(self, pair: &LockedPair, change: HistoryKind) -> Vec<Entry> {
        let [card, other] = pair.ends();
        vec![self.entry(&card, &other, change), self.entry(&other, &card, change)]
    }

    /// The row of a card's history. It names the project of a card of another one.
    fn entry(self, card: &RelatedEnd, other: &RelatedEnd, change: HistoryKind) -> Entry {
        let direction = RelationDirection::of(self.kind, self.first == card.card);
        let mut value = json!({ "id": other.card, "kind": self.kind, "direction": direction });
        if other.project != card.project
            && let Some(fields) = value.as_object_mut()
        {
            fields.insert("project_id".to_owned(), json!(other.project));
        }
        let value = Some(value);
        let (before, after) = if change == HistoryKind::Linked { (None, value) } else { (value, None) };
        Entry::new(card.card, change, FieldChanges::of_element(RELATION, before, after))
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
struct RelationCountRow {
    #[diesel(sql_type = BigInt)]
    relations: i64,
}

/// A relation with the card that has it.
#[derive(QueryableByName)]
struct RelationOfCardRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(embed)]
    relation: RelationRow,
}

#[derive(QueryableByName)]
struct RelationRow {
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Bool)]
    is_first: bool,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
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
            project_id: ProjectId(self.project_id),
            key: card_key(self.project_key.as_deref(), self.number)?,
            name: decode::name(&self.name)?,
            is_open: self.is_open,
        };
        Ok(CardRelation { kind, direction: RelationDirection::of(kind, self.is_first), card })
    }
}
