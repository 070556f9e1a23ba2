//! The rank of a card in a column after a move.

use std::collections::BTreeMap;

use auth::actor::TeamWrite;
use database::decode;
use database::prelude::*;
use database::schema::{cards, column_renumberings, team_cards};
use diesel::sql_types::{Array, Bool, Nullable, Text, Uuid as SqlUuid};
use domain::id::StatusId;
use domain::people::permission::Permission;
use domain::position::Position;
use domain::{Code, Error, Result};
use serde_json::json;
use uuid::Uuid;

use crate::access::board_card::BoardCard;
use crate::access::call::Call;
use crate::access::linked_projects;
use crate::resources::planning::cards::placements::Move;
use crate::resources::store::Tx;

/// Most cards that a conflict of positions shows.
const SHOWN_CARDS_MAX: i64 = 1_000;

/// The card's rank in a column after a move. It keeps its rank if that already fits.
pub(super) async fn after_move(
    tx: &mut Tx,
    at: &BoardCard,
    call: &Call<TeamWrite>,
    column: StatusId,
    to: &Move,
) -> Result<Position> {
    let old = at.placement.as_ref().filter(|old| old.status_id == column).map(|old| &old.rank);
    if let (Some(old), None, None) = (old, to.after, to.before) {
        return Ok(old.clone());
    }
    let readable = if to.after.is_none() && to.before.is_none() {
        // Behind all cards, also behind those that the caller can't read.
        Vec::new()
    } else {
        // Cards that the caller can't read don't count: not as neighbours, and not between neighbours.
        let linked = linked_projects::find(tx, at.board.team.id(), call).await?;
        let readable = linked.iter().filter(|project| project.permissions.contains(Permission::CardRead));
        readable.map(|project| project.id.0).collect()
    };
    let neighbours: NeighboursRow = Statement::new(include_str!("neighbours.sql"))
        .bind::<SqlUuid, _>(column.0)
        .bind::<SqlUuid, _>(at.card.id().0)
        .bind::<Nullable<SqlUuid>, _>(to.after.map(|card| card.0))
        .bind::<Nullable<SqlUuid>, _>(to.before.map(|card| card.0))
        .bind::<Array<SqlUuid>, _>(&readable)
        .get_result(tx)
        .await?;
    let Some((low, high)) = neighbours.gap(to)? else {
        return Err(not_neighbours(tx, column, &readable).await?);
    };
    if let Some(old) = old
        && low.as_ref().is_none_or(|low| low < old)
        && high.as_ref().is_none_or(|high| old < high)
    {
        return Ok(old.clone());
    }
    match Position::between(low.as_ref(), high.as_ref()) {
        Some(rank) => Ok(rank),
        None => renumber(tx, at, column, low).await,
    }
}

/// Renumbers a column behind its last card, with a free rank for the card after `low`; returns that rank.
async fn renumber(tx: &mut Tx, at: &BoardCard, column: StatusId, low: Option<Position>) -> Result<Position> {
    let standing: Vec<(Uuid, String)> = team_cards::table
        .filter(team_cards::status_id.eq(column.0))
        .order(team_cards::rank)
        .select((team_cards::card_id, team_cards::rank))
        .load(tx)
        .await?;
    let last: Option<Position> = standing.last().map(|(_, rank)| decode::parse(rank)).transpose()?;
    let others: Vec<&(Uuid, String)> = standing.iter().filter(|(card, _)| *card != at.card.id().0).collect();
    let low = low.as_ref().map(Position::as_str);
    let before = others.iter().take_while(|(_, rank)| low.is_some_and(|low| rank.as_str() <= low)).count();
    let mut ranks = Position::in_a_row_after(last.as_ref(), others.len() + 1);
    let free = ranks.remove(before);
    // The number of rows is not checked: a card may be deleted meanwhile.
    Statement::new(include_str!("renumber.sql"))
        .bind::<SqlUuid, _>(at.board.team.id().0)
        .bind::<Array<SqlUuid>, _>(others.iter().map(|(card, _)| *card).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(ranks.iter().map(Position::as_str).collect::<Vec<_>>())
        .execute(tx)
        .await?;
    let renumbered = others.iter().zip(&ranks);
    let kept: BTreeMap<Uuid, &Position> = renumbered.map(|((card, _), rank)| (*card, rank)).collect();
    keep_renumbering(tx, at, &kept).await?;
    Ok(free)
}

/// Keeps new ranks for the past of the board. They are no moves, so the history of cards doesn't tell of them.
async fn keep_renumbering(tx: &mut Tx, at: &BoardCard, ranks: &BTreeMap<Uuid, &Position>) -> Result<()> {
    let written = diesel::insert_into(column_renumberings::table)
        .values((
            column_renumberings::team_id.eq(at.board.team.id().0),
            column_renumberings::ranks.eq(serde_json::to_value(ranks).map_err(Error::internal)?),
            column_renumberings::occurred_at.eq(at.call.now.0),
        ))
        .execute(tx)
        .await?;
    if written == 1 { Ok(()) } else { Err(Error::internal("new ranks were not kept")) }
}

/// The conflict of a move whose neighbours are not neighbours in `column`, with the column's cards in their order, as far
/// as the caller can read them.
async fn not_neighbours(tx: &mut Tx, column: StatusId, readable: &[Uuid]) -> Result<Error> {
    let order: Vec<Uuid> = team_cards::table
        .inner_join(cards::table.on(cards::id.eq(team_cards::card_id)))
        .filter(team_cards::status_id.eq(column.0).and(cards::project_id.eq_any(readable)))
        .order(team_cards::rank)
        .limit(SHOWN_CARDS_MAX)
        .select(team_cards::card_id)
        .load(tx)
        .await?;
    let message = "The cards that the request names are not neighbours in this order there.";
    let details = json!({ "statusId": column, "cardIds": order });
    Ok(Error::new(Code::PositionConflict, message).with_details(details))
}

/// The ranks around a move's target, without the moved card.
#[derive(QueryableByName)]
struct NeighboursRow {
    #[diesel(sql_type = Nullable<Text>)]
    after: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    before: Option<String>,
    /// The next rank after `after`.
    #[diesel(sql_type = Nullable<Text>)]
    following: Option<String>,
    /// The last rank before `before`, or of the column.
    #[diesel(sql_type = Nullable<Text>)]
    preceding: Option<String>,
    /// A card that the caller can read is between the two.
    #[diesel(sql_type = Bool)]
    is_parted: bool,
}

impl NeighboursRow {
    /// The ranks on both sides of the target; `None` if the named cards are not neighbours.
    fn gap(&self, to: &Move) -> Result<Option<(Option<Position>, Option<Position>)>> {
        let read = |rank: &Option<String>| rank.as_deref().map(decode::parse::<Position>).transpose();
        let (after, before) = (read(&self.after)?, read(&self.before)?);
        let absent = to.after.is_some() && after.is_none() || to.before.is_some() && before.is_none();
        let in_order = after.is_none() || before.is_none() || after < before;
        if absent || self.is_parted || !in_order {
            return Ok(None);
        }
        Ok(Some(match (after, before) {
            (Some(after), _) => (Some(after), read(&self.following)?),
            (None, before) => (read(&self.preceding)?, before),
        }))
    }
}
