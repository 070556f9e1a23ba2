//! Places of cards on teams' boards: place, move, remove.

use auth::actor::TeamWrite;
use database::decode;
use database::prelude::*;
use database::schema::{cards, sprint_cards, sprints, team_cards};
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text, Uuid as SqlUuid};
use domain::board::{CloseRule, ColumnTransition, Load, Placement, Wip, WipWarning};
use domain::card::{CardState, Effort, ShownCard};
use domain::history::{FieldChanges, HistoryKind, TEAM_PLACEMENT};
use domain::id::{CardId, HistoryId, SprintId, StatusId};
use domain::permission::Permission;
use domain::position::Position;
use domain::status::StatusRecord;
use domain::{Code, Error, Result, Rule};
use serde_json::json;
use uuid::Uuid;

use crate::access::board_card::BoardCard;
use crate::access::call::Call;
use crate::access::linked_projects;
use crate::resources::cards::history::{self, Entry, Recorded};
use crate::resources::store::Tx;

/// Most cards that a conflict of positions shows.
const SHOWN_CARDS_MAX: i64 = 1_000;

/// The target of a card. `None` leaves a part as it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Move {
    /// The column. Defaults to the leftmost for a card that is not on the board.
    pub status: Option<StatusId>,
    /// The sprint; `Some(None)`: the backlog.
    pub sprint: Option<Option<SprintId>>,
    /// Right after this card, above it.
    pub after: Option<CardId>,
    /// Right before this card, below it.
    pub before: Option<CardId>,
    /// Close the card, if its column leaves that to the move.
    pub close_card: bool,
}

/// A card after its move.
#[derive(Clone, Debug)]
pub struct PlacedCard {
    /// The card.
    pub card: ShownCard,
    /// Its place.
    pub placement: Placement,
    /// Set when the column exceeds its WIP limit.
    pub warning: Option<WipWarning>,
}

/// Places a card on the team's board, or moves it there. A column may close or reopen it (docs/api.md, section 6).
///
/// # Errors
/// `INVALID_REQUEST` if column or sprint does not belong to the team; `SPRINT_NOT_ACTIVE` if the sprint is completed;
/// `POSITION_CONFLICT` if the named cards are not neighbours there, or the board has no column; `WIP_LIMIT_REACHED`;
/// `CARD_HISTORY_CONFLICT` if the card moved on this board since the expected head.
pub async fn place(
    tx: &mut Tx,
    at: &BoardCard,
    call: &Call<TeamWrite>,
    to: &Move,
    expected: Option<HistoryId>,
) -> Result<PlacedCard> {
    let (card, old) = (&at.card, at.placement.as_ref());
    let column = column(at, to)?;
    let left = old.filter(|old| old.status_id != column.id).and_then(|old| at.column(old.status_id));
    let enters = old.is_none() || left.is_some();
    let warning =
        if enters { admit(tx, column, card.id(), card.state.card.fields.effort).await? } else { None };
    let placement = Placement {
        team_id: at.team.id(),
        status_id: column.id,
        transition_state: column.transition_state,
        sprint_id: sprint(tx, at, to).await?,
        rank: rank(tx, at, call, column.id, to).await?,
    };
    let transition = ColumnTransition {
        left: left.map(close_rule),
        into: close_rule(column),
        enters,
        close_card: to.close_card,
    };
    let entries = entries(at, &placement, transition);
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    if old != Some(&placement) {
        write(tx, at, &placement).await?;
    }
    let recorded = history::record(tx, card, &at.call, entries, |state| set_open(state, transition, at));
    let card = recorded.await?.shown(tx, call).await?;
    Ok(PlacedCard { card, placement, warning })
}

/// Removes a card from the team's board.
///
/// # Errors
/// `NOT_FOUND` if it is not on it; `CARD_HISTORY_CONFLICT` if it moved on this board since the expected head.
pub async fn remove(tx: &mut Tx, at: &BoardCard, expected: Option<HistoryId>) -> Result<Recorded<CardState>> {
    let old = at.placement.as_ref().ok_or_else(Error::not_found)?;
    let entries = vec![removal(at.card.id(), old)];
    history::require_unmoved(tx, &at.card, &at.call, expected, &entries).await?;
    let key = (at.team.id().0, at.card.id().0);
    let deleted = diesel::delete(team_cards::table.find(key)).execute(tx).await?;
    if deleted != 1 {
        return Err(Error::internal("the place of a locked card is gone"));
    }
    history::record(tx, &at.card, &at.call, entries, |_| {}).await
}

/// The history row of a card's removal from a board.
pub(crate) fn removal(card: CardId, old: &Placement) -> Entry {
    Entry::new(card, HistoryKind::Removed, FieldChanges::of_element(TEAM_PLACEMENT, Some(old), None))
}

/// The column of a card after a move.
fn column<'a>(at: &'a BoardCard, to: &Move) -> Result<&'a StatusRecord> {
    if let Some(id) = to.status {
        let named = at.column(id);
        return named
            .ok_or_else(|| Error::invalid("statusId", Rule::Exists, "must name a status of the team"));
    }
    let current = at.placement.as_ref().and_then(|old| at.column(old.status_id));
    current.or_else(|| at.columns.as_slice().first()).ok_or_else(|| {
        Error::new(Code::PositionConflict, "The board has no column yet.")
            .with_details(json!({ "statusIds": [] }))
    })
}

/// The sprint of a card after a move. Its present sprint may be completed.
async fn sprint(tx: &mut Tx, at: &BoardCard, to: &Move) -> Result<Option<SprintId>> {
    let old = at.placement.as_ref().and_then(|old| old.sprint_id);
    let new = match to.sprint {
        Some(Some(sprint)) => sprint,
        Some(None) => return Ok(None),
        None => return Ok(old),
    };
    if old == Some(new) || at.sprints.contains(&new) {
        return Ok(Some(new));
    }
    let is_over: bool = diesel::select(diesel::dsl::exists(
        sprints::table.find(new.0).filter(sprints::team_id.eq(at.team.id().0)),
    ))
    .get_result(tx)
    .await?;
    if is_over {
        return Err(Error::new(Code::SprintNotActive, "The sprint is completed, and takes no more cards.")
            .with_details(json!({ "sprintId": new, "status": "completed" })));
    }
    Err(Error::invalid("sprintId", Rule::Exists, "must name a sprint of the team"))
}

/// Refuses a card that exceeds the column's WIP limit, or returns a warning, as the column's policy says.
async fn admit(
    tx: &mut Tx,
    column: &StatusRecord,
    card: CardId,
    effort: Effort,
) -> Result<Option<WipWarning>> {
    let Some(wip) = Wip::of(column) else { return Ok(None) };
    let load: LoadRow = Statement::new(include_str!("placements/load.sql"))
        .bind::<SqlUuid, _>(column.id.0)
        .bind::<SqlUuid, _>(card.0)
        .get_result(tx)
        .await?;
    wip.admit(column.id, Load { cards: load.cards, effort: load.effort }.and(effort))
}

/// The card's rank in a column after a move. It keeps its rank if that already fits.
async fn rank(
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
    // Cards that the caller can't read don't count: not as neighbours, and not between neighbours.
    let linked = linked_projects::find(tx, at.team.id(), call).await?;
    let readable = linked.iter().filter(|project| project.permissions.contains(Permission::CardRead));
    let readable: Vec<Uuid> = readable.map(|project| project.id.0).collect();
    let neighbours: NeighboursRow = Statement::new(include_str!("placements/neighbours.sql"))
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
    Statement::new(include_str!("placements/renumber.sql"))
        .bind::<SqlUuid, _>(at.team.id().0)
        .bind::<Array<SqlUuid>, _>(others.iter().map(|(card, _)| *card).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(ranks.iter().map(Position::as_str).collect::<Vec<_>>())
        .execute(tx)
        .await?;
    Ok(free)
}

/// The history rows of a move.
fn entries(at: &BoardCard, placement: &Placement, transition: ColumnTransition) -> Vec<Entry> {
    let (card, old) = (at.card.id(), at.placement.as_ref());
    let kind = if old.is_some() { HistoryKind::Moved } else { HistoryKind::Placed };
    let was_open = at.card.state.card.is_open;
    let is_open = transition.leaves_open(was_open);
    let transition = if is_open { HistoryKind::Reopened } else { HistoryKind::Closed };
    let entries = [
        Entry::new(card, kind, FieldChanges::of_element(TEAM_PLACEMENT, old, Some(placement))),
        Entry::new(card, transition, FieldChanges::none().and("is_open", was_open, is_open)),
    ];
    entries.into_iter().filter(|entry| !entry.changes.is_empty()).collect()
}

/// Writes the card's place.
async fn write(tx: &mut Tx, at: &BoardCard, placement: &Placement) -> Result<()> {
    let values = (
        team_cards::status_id.eq(placement.status_id.0),
        team_cards::sprint_id.eq(placement.sprint_id.map(|sprint| sprint.0)),
        team_cards::rank.eq(placement.rank.as_str()),
    );
    let written = diesel::insert_into(team_cards::table)
        .values((
            team_cards::team_id.eq(placement.team_id.0),
            team_cards::card_id.eq(at.card.id().0),
            team_cards::placed_at.eq(at.call.now.0),
            values,
        ))
        .on_conflict((team_cards::team_id, team_cards::card_id))
        .do_update()
        .set(values)
        .execute(tx)
        .await?;
    if written != 1 {
        return Err(Error::internal("a card was not placed"));
    }
    if let Some(sprint) = placement.sprint_id {
        // The card may have been in the sprint before.
        diesel::insert_into(sprint_cards::table)
            .values((sprint_cards::sprint_id.eq(sprint.0), sprint_cards::card_id.eq(at.card.id().0)))
            .on_conflict_do_nothing()
            .execute(tx)
            .await?;
    }
    Ok(())
}

fn close_rule(column: &StatusRecord) -> CloseRule {
    CloseRule { transition_state: column.transition_state, close_mode: column.close_mode }
}

fn set_open(state: &mut CardState, transition: ColumnTransition, at: &BoardCard) {
    let is_open = transition.leaves_open(state.card.is_open);
    if is_open != state.card.is_open {
        state.card.is_open = is_open;
        state.card.closed_at = (!is_open).then_some(at.call.now);
    }
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

/// Work in a column, without the moved card.
#[derive(QueryableByName)]
struct LoadRow {
    #[diesel(sql_type = BigInt)]
    cards: i64,
    #[diesel(sql_type = BigInt)]
    effort: i64,
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
