//! Parents and children of cards: trees of at most eight levels over the projects of an owner, without cycles. Submodules:
//! parents of other projects, locks of trees.

pub(crate) mod far;
mod trees;

use std::collections::{BTreeMap, BTreeSet};

use auth::actor::{CardDelete, CardWrite};
use database::decode;
use database::prelude::*;
use database::schema::cards;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, ProjectId};
use domain::people::permission::Permission;
use domain::planning::card::NewCard;
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::planning::relation::{CARD_MAX_LEVELS, ChildrenProgress, FarParent, RelatedCard};
use domain::{Error, Result, Rule};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::access::reachable;
use crate::access::rows::card::card_key;
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::planning::cards::parents::far::ParentChange;
use crate::resources::store::Tx;

/// Refuses new cards whose parents are no cards that the caller sees, or already on the last level. Returns those of the parents
/// that are of other projects.
pub(super) async fn require_for_new(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    new: &[&NewCard],
) -> Result<BTreeMap<CardId, FarParent>> {
    let parents: BTreeSet<CardId> = new.iter().filter_map(|new| new.fields.parent_id).collect();
    if parents.is_empty() {
        return Ok(BTreeMap::new());
    }
    let far = find(tx, project, call, &parents).await?;
    trees::hold(tx, project, &far).await?;
    for parent in parents {
        hold(tx, parent).await?;
        let place = place(tx, parent, None).await?;
        require_levels(place.level, 1)?;
    }
    Ok(far)
}

/// The change of a card's parent. Refuses one that is no card that the caller sees, or is the card itself or below it, or leaves
/// no level for the card's own children. Until the transaction ends, no other card of the tree gets another parent.
pub(super) async fn change(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    parent: Option<CardId>,
) -> Result<ParentChange> {
    // The state of the card may be older than its lock.
    let before = far::of(tx, card.id()).await?;
    let is_seen = match before {
        Some(FarParent { project, .. }) => !reads(tx, call, &[project]).await?.is_empty(),
        None => true,
    };
    let Some(parent) = parent else {
        // For a caller who doesn't see the parent, the card has no parent already.
        return Ok(ParentChange { near: None, before, is_seen, after: before.filter(|_| !is_seen) });
    };
    let after = find(tx, &card.project, call, &BTreeSet::from([parent])).await?;
    trees::hold(tx, &card.project, &after).await?;
    hold(tx, parent).await?;
    let place = place(tx, parent, Some(card.id())).await?;
    if place.is_below {
        return Err(Error::invalid("parentId", Rule::Cycle, "must not be the card itself, or one below it"));
    }
    require_levels(place.level, place.height)?;
    let after = after.get(&parent).copied();
    Ok(ParentChange { near: after.is_none().then_some(parent), before, is_seen, after })
}

/// Those of parents that are of other projects. Refuses those that the caller doesn't see.
async fn find(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    parents: &BTreeSet<CardId>,
) -> Result<BTreeMap<CardId, FarParent>> {
    let found: Vec<(Uuid, Uuid)> = cards::table
        .filter(cards::id.eq_any(parents.iter().map(|parent| parent.0).collect::<Vec<_>>()))
        .select((cards::id, cards::project_id))
        .load(tx)
        .await?;
    if found.len() < parents.len() {
        return Err(absent());
    }
    let parents = found.into_iter().map(|(id, of)| FarParent { card: CardId(id), project: ProjectId(of) });
    let far: Vec<FarParent> = parents.filter(|parent| parent.project != project.record.id).collect();
    let projects: BTreeSet<ProjectId> = far.iter().map(|parent| parent.project).collect();
    let projects: Vec<ProjectId> = projects.into_iter().collect();
    if reads(tx, call, &projects).await?.len() < projects.len() {
        return Err(absent());
    }
    Ok(far.into_iter().map(|parent| (parent.card, parent)).collect())
}

/// Those of `projects` whose cards the caller reads.
async fn reads(tx: &mut Tx, call: &Call<CardWrite>, projects: &[ProjectId]) -> Result<BTreeSet<ProjectId>> {
    Ok(reachable::among(tx, call, projects, Permission::CardRead).await?.into_iter().collect())
}

/// Keeps the parent from being deleted.
async fn hold(tx: &mut Tx, parent: CardId) -> Result<()> {
    let held: Option<Uuid> =
        cards::table.find(parent.0).select(cards::id).for_key_share().first(tx).await.optional()?;
    held.map(drop).ok_or_else(absent)
}

/// The refusal of a parent that doesn't exist, or is hidden from the caller.
fn absent() -> Error {
    Error::broken("parentId", Rule::Exists)
}

fn require_levels(level: i32, height: i32) -> Result<()> {
    let levels = usize::try_from(level.saturating_add(height)).map_err(Error::internal)?;
    if levels <= CARD_MAX_LEVELS {
        Ok(())
    } else {
        Err(Error::broken("parentId", Rule::MaxDepth(CARD_MAX_LEVELS)))
    }
}

async fn place(tx: &mut Tx, parent: CardId, card: Option<CardId>) -> Result<LevelRow> {
    Ok(Statement::new(include_str!("parents/place.sql"))
        .bind::<SqlUuid, _>(parent.0)
        .bind::<Nullable<SqlUuid>, _>(card.map(|card| card.0))
        .get_result(tx)
        .await?)
}

/// Ends the children's relation to a card that is to be deleted, each with a row of its history: also of those that the caller
/// doesn't see.
pub(super) async fn release_children(
    tx: &mut Tx,
    card: &Card<CardDelete>,
    call: &Call<CardDelete>,
) -> Result<()> {
    let children: Vec<ChildRow> =
        Statement::new(include_str!("parents/children.sql")).bind::<SqlUuid, _>(card.id().0).load(tx).await?;
    let (near, far): (Vec<ChildRow>, Vec<ChildRow>) = children.into_iter().partition(|child| child.is_near);
    far::end(tx, call, far.iter().map(|child| child.id).collect()).await?;
    let children: Vec<Uuid> = near.into_iter().map(|child| child.id).collect();
    if children.is_empty() {
        return Ok(());
    }
    let left = FieldChanges::none().and("parent_id", Some(card.id()), None);
    let entry = |child: &Uuid| Entry::new(CardId(*child), HistoryKind::Updated, left.clone());
    let entries: Vec<Entry> = children.iter().map(entry).collect();
    let heads = history::append(tx, call, card.project.record.id, &entries).await?;
    let written = Statement::new(include_str!("parents/release.sql"))
        .bind::<Array<SqlUuid>, _>(&children)
        .bind::<Array<SqlUuid>, _>(heads.iter().map(|head| head.id.0).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(heads.iter().map(|head| head.sequence.0).collect::<Vec<_>>())
        .bind::<Timestamptz, _>(call.now.0)
        .execute(tx)
        .await?;
    if written == children.len() { Ok(()) } else { Err(Error::internal("a locked card is gone")) }
}

/// The progress of all cards below a card to which a way leads over cards of its project and of projects `readable`.
///
/// # Errors
/// `UNAVAILABLE`.
pub(super) async fn progress<P>(tx: &mut Tx, card: &Card<P>, readable: &[Uuid]) -> Result<ChildrenProgress> {
    // A way down may come back to the card's own project.
    let readable = readable.iter().copied().chain([card.project.record.id.0]);
    let row: ProgressRow = Statement::new(include_str!("parents/progress.sql"))
        .bind::<SqlUuid, _>(card.id().0)
        .bind::<Array<SqlUuid>, _>(readable.collect::<Vec<_>>())
        .get_result(tx)
        .await?;
    Ok(ChildrenProgress {
        total: row.total,
        closed: row.closed,
        effort: row.effort,
        closed_effort: row.closed_effort,
    })
}

/// A parent that the caller sees, in brief.
///
/// # Errors
/// `UNAVAILABLE`.
pub(super) async fn brief(tx: &mut Tx, parent: Option<CardId>) -> Result<Option<RelatedCard>> {
    let Some(parent) = parent else { return Ok(None) };
    let rows: Vec<BriefRow> =
        Statement::new(include_str!("parents/brief.sql")).bind::<SqlUuid, _>(parent.0).load(tx).await?;
    let read = |row: BriefRow| {
        Ok(RelatedCard {
            id: parent,
            project_id: ProjectId(row.project_id),
            key: card_key(row.project_key.as_deref(), row.number)?,
            name: decode::name(&row.name)?,
            is_open: row.is_open,
        })
    };
    rows.into_iter().next().map(read).transpose()
}

#[derive(QueryableByName)]
struct LevelRow {
    #[diesel(sql_type = Integer)]
    level: i32,
    #[diesel(sql_type = Bool)]
    is_below: bool,
    #[diesel(sql_type = Integer)]
    height: i32,
}

#[derive(QueryableByName)]
struct ChildRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Bool)]
    is_near: bool,
}

#[derive(QueryableByName)]
struct ProgressRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(sql_type = BigInt)]
    closed: i64,
    #[diesel(sql_type = BigInt)]
    effort: i64,
    #[diesel(sql_type = BigInt)]
    closed_effort: i64,
}

#[derive(QueryableByName)]
struct BriefRow {
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
