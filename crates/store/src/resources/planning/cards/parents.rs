//! Parents and children of cards: trees of at most eight levels within a project, without cycles.

use std::collections::BTreeSet;

use auth::actor::{CardDelete, CardWrite, Requirement};
use database::prelude::*;
use database::schema::cards;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Nullable, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, ProjectId};
use domain::planning::card::NewCard;
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::planning::relation::{CARD_MAX_LEVELS, ChildrenProgress};
use domain::{Error, Result, Rule};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::planning::cards::keys;
use crate::resources::store::Tx;

/// Refuses new cards whose parents are no cards of the project, or already on the last level.
pub(super) async fn require_for_new(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    new: &[&NewCard],
) -> Result<()> {
    let parents: BTreeSet<CardId> = new.iter().filter_map(|new| new.fields.parent_id).collect();
    for parent in parents {
        // Else another request might move the parent to a lower level meanwhile, or delete it.
        keys::hold_counter(tx, project.record.id).await?;
        hold(tx, project.record.id, parent).await?;
        let place = place(tx, parent, None).await?;
        require_levels(place.level, 1)?;
    }
    Ok(())
}

/// Refuses a parent that is no card of the card's project, or is the card itself or below it, or leaves no level for the card's
/// own children. Until the transaction ends, no other card of the project gets another parent.
pub(super) async fn require(tx: &mut Tx, card: &Card<CardWrite>, parent: CardId) -> Result<()> {
    keys::hold_counter(tx, card.project.record.id).await?;
    hold(tx, card.project.record.id, parent).await?;
    let place = place(tx, parent, Some(card.id())).await?;
    if place.is_below {
        return Err(Error::invalid("parentId", Rule::Cycle, "must not be the card itself, or one below it"));
    }
    require_levels(place.level, place.height)
}

/// Keeps the parent from being deleted.
async fn hold(tx: &mut Tx, project: ProjectId, parent: CardId) -> Result<()> {
    let held: Option<Uuid> = cards::table
        .filter(cards::id.eq(parent.0).and(cards::project_id.eq(project.0)))
        .select(cards::id)
        .for_key_share()
        .first(tx)
        .await
        .optional()?;
    held.map(drop).ok_or_else(|| Error::broken("parentId", Rule::Exists))
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

/// Ends the children's relation to a card that is to be deleted, each with a row of its history.
pub(super) async fn release_children(
    tx: &mut Tx,
    card: &Card<CardDelete>,
    call: &Call<CardDelete>,
) -> Result<()> {
    let children: Vec<Uuid> = cards::table
        .filter(cards::parent_id.eq(card.id().0))
        .order(cards::id)
        .select(cards::id)
        .for_update()
        .load(tx)
        .await?;
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

/// The progress of all cards below a card.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn progress<P: Requirement>(tx: &mut Tx, card: &Card<P>) -> Result<ChildrenProgress> {
    let row: ProgressRow = Statement::new(include_str!("parents/progress.sql"))
        .bind::<SqlUuid, _>(card.id().0)
        .get_result(tx)
        .await?;
    Ok(ChildrenProgress {
        total: row.total,
        closed: row.closed,
        effort: row.effort,
        closed_effort: row.closed_effort,
    })
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
