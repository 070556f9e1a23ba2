//! Places of cards on teams' boards: place, move, remove.

mod rank;
mod removed;

use auth::actor::TeamWrite;
use database::prelude::*;
use database::schema::{sprint_cards, sprints, team_cards};
use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use domain::id::{CardId, HistoryId, SprintId, StatusId};
use domain::planning::board::{CloseRule, ColumnTransition, Load, Placement, Wip, WipWarning};
use domain::planning::card::{CardState, Effort};
use domain::planning::history::{FieldChanges, HistoryKind, TEAM_PLACEMENT};
use domain::planning::status::StatusRecord;
use domain::{Code, Error, Result, Rule};
use serde_json::json;

use crate::access::board_card::{BoardCard, BoardCards};
use crate::access::call::Call;
use crate::access::card::Card;
use crate::resources::planning::cards::history::{self, Entry, Recorded};
use crate::resources::store::Tx;

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

/// The move of one of several cards.
#[derive(Clone, Copy, Debug)]
pub struct CardMove {
    /// The card.
    pub card: CardId,
    /// Its target.
    pub to: Move,
    /// The history head that the client has seen.
    pub expected: Option<HistoryId>,
}

/// A card after its move.
#[derive(Clone, Debug)]
pub struct PlacedCard {
    /// The card.
    pub card: Recorded<CardState>,
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
    // A card that was on the board returns to its place unless the move names a column.
    let left_from = if old.is_none() && to.status.is_none() { removed::find(tx, at).await? } else { None };
    let column = column(at, to, left_from.as_ref())?;
    let left = old.filter(|old| old.status_id != column.id).and_then(|old| at.board.column(old.status_id));
    let enters = old.is_none() || left.is_some();
    let warning =
        if enters { admit(tx, column, card.id(), card.state.card.fields.effort).await? } else { None };
    let placement = Placement {
        team_id: at.board.team.id(),
        status_id: column.id,
        transition_state: column.transition_state,
        sprint_id: sprint(tx, at, to, left_from.as_ref()).await?,
        rank: match &left_from {
            Some(place) if place.status_id == column.id && to.after.is_none() && to.before.is_none() => {
                removed::rank(tx, place).await?
            }
            _ => rank::after_move(tx, at, call, column.id, to).await?,
        },
    };
    let transition = ColumnTransition {
        left: left.map(close_rule),
        into: close_rule(column),
        enters,
        close_card: to.close_card,
    };
    let entries = entries(at, &placement, transition);
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    let write = async |connection: &Connection| match old == Some(&placement) {
        true => Ok(()),
        false => write(connection, at, &placement).await,
    };
    let open = |state: &mut CardState| set_open(state, transition, at);
    let recorded = history::record_beside(tx, card, &at.call, entries, open, write).await?;
    Ok(PlacedCard { card: recorded, placement, warning })
}

/// Places cards one after the other, in their order.
///
/// # Errors
/// Those of [`place`] for the first card that is refused, with its position as `details.placement`.
pub async fn place_all(
    tx: &mut Tx,
    at: &BoardCards,
    call: &Call<TeamWrite>,
    moves: &[CardMove],
) -> Result<Vec<PlacedCard>> {
    let mut placed = Vec::with_capacity(moves.len());
    for (position, CardMove { card, to, expected }) in moves.iter().enumerate() {
        let card = at.cards.get(card).ok_or_else(|| Error::internal("a card was not locked"))?;
        let card = Card { state: card.state.clone(), project: card.project.clone() };
        let card = BoardCard::on(&at.board, card, &at.call, tx).await?;
        placed.push(place(tx, &card, call, to, *expected).await.map_err(|error| {
            error.within(&format!("placements[{position}]")).with_detail("placement", position)
        })?);
    }
    Ok(placed)
}

/// Removes a card from the team's board.
///
/// # Errors
/// `NOT_FOUND` if it is not on it; `CARD_HISTORY_CONFLICT` if it moved on this board since the expected head.
pub async fn remove(tx: &mut Tx, at: &BoardCard, expected: Option<HistoryId>) -> Result<Recorded<CardState>> {
    let old = at.placement.as_ref().ok_or_else(Error::not_found)?;
    let entries = vec![removal(at.card.id(), old)];
    history::require_unmoved(tx, &at.card, &at.call, expected, &entries).await?;
    let key = (at.board.team.id().0, at.card.id().0);
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
fn column<'a>(at: &'a BoardCard, to: &Move, left_from: Option<&Placement>) -> Result<&'a StatusRecord> {
    if let Some(id) = to.status {
        let named = at.board.column(id);
        return named
            .ok_or_else(|| Error::invalid("statusId", Rule::Exists, "must name a status of the team"));
    }
    let current = at.placement.as_ref().or(left_from).and_then(|old| at.board.column(old.status_id));
    current.or_else(|| at.board.columns.as_slice().first()).ok_or_else(|| {
        Error::new(Code::PositionConflict, "The board has no column yet.")
            .with_details(json!({ "statusIds": [] }))
    })
}

/// The sprint of a card after a move. Its present sprint may be completed.
async fn sprint(
    tx: &mut Tx,
    at: &BoardCard,
    to: &Move,
    left_from: Option<&Placement>,
) -> Result<Option<SprintId>> {
    let last = left_from.and_then(|place| place.sprint_id).filter(|sprint| at.board.sprints.contains(sprint));
    let old = at.placement.as_ref().and_then(|old| old.sprint_id);
    let new = match to.sprint {
        Some(Some(sprint)) => sprint,
        Some(None) => return Ok(None),
        None => return Ok(old.or(last)),
    };
    if old == Some(new) || at.board.sprints.contains(&new) {
        return Ok(Some(new));
    }
    let is_over: bool = diesel::select(diesel::dsl::exists(
        sprints::table.find(new.0).filter(sprints::team_id.eq(at.board.team.id().0)),
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
async fn write(connection: &Connection, at: &BoardCard, placement: &Placement) -> Result<()> {
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
        .execute(connection)
        .await?;
    if written != 1 {
        return Err(Error::internal("a card was not placed"));
    }
    if let Some(sprint) = placement.sprint_id {
        // The card may have been in the sprint before.
        diesel::insert_into(sprint_cards::table)
            .values((sprint_cards::sprint_id.eq(sprint.0), sprint_cards::card_id.eq(at.card.id().0)))
            .on_conflict_do_nothing()
            .execute(connection)
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

/// Work in a column, without the moved card.
#[derive(QueryableByName)]
struct LoadRow {
    #[diesel(sql_type = BigInt)]
    cards: i64,
    #[diesel(sql_type = BigInt)]
    effort: i64,
}
