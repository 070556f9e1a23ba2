//! The status columns of a team's board: list, create, change, move, delete. The cards that stand in them are the board's.

use std::collections::BTreeMap;

use auth::actor::{TeamRead, TeamWrite};
use domain::id::{CardId, HistoryId, StatusId, TeamId};
use domain::position::Position;
use domain::status::{
    CloseMode, StatusRecord, TEAM_MAX_STATUSES, TransitionState, WipLimit, WipPolicy, WipUnit,
};
use domain::tag::Color;
use domain::text::{Description, Name};
use domain::{Code, Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::rows::status::StatusRow;
use crate::access::status::Status;
use crate::access::team::Team;
use crate::db::error::SqlError;
use crate::db::prelude::*;
use crate::db::schema::{cards, team_cards, team_statuses};
use crate::resources::cards::boards;
use crate::resources::cards::clearing::{self, Part};
use crate::resources::store::Tx;

/// The field that names where a deleted column's cards go.
const MOVE_CARDS_TO: &str = "moveCardsTo";

/// A column to be created.
#[derive(Clone, Debug)]
pub struct NewStatus {
    /// Name.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Color.
    pub color: Color,
    /// Lifecycle flag.
    pub status: Name,
    /// How far along work is that stands there.
    pub transition_state: TransitionState,
    /// Whether cards are closed and opened by being moved.
    pub close_mode: CloseMode,
    /// Most work that may stand there.
    pub wip_limit: Option<WipLimit>,
    /// What happens above the limit.
    pub wip_policy: WipPolicy,
    /// What the limit counts.
    pub wip_unit: WipUnit,
    /// Where it goes.
    pub place: ColumnPlace,
}

/// What to change about a column; `None` leaves alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusChanges {
    /// Name.
    pub name: Option<Name>,
    /// Description.
    pub description: Option<Description>,
    /// Color.
    pub color: Option<Color>,
    /// Lifecycle flag.
    pub status: Option<Name>,
    /// How far along work is that stands there. Cards that stand there already are left as they are.
    pub transition_state: Option<TransitionState>,
    /// Whether cards are closed and opened by being moved, from now on.
    pub close_mode: Option<CloseMode>,
    /// Most work that may stand there; `Some(None)` clears.
    pub wip_limit: Option<Option<WipLimit>>,
    /// What happens above the limit.
    pub wip_policy: Option<WipPolicy>,
    /// What the limit counts.
    pub wip_unit: Option<WipUnit>,
    /// Where it goes.
    pub place: Option<ColumnPlace>,
}

/// A place among a team's columns, by its neighbours; without any it is the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnPlace {
    /// Right after this column.
    pub after: Option<StatusId>,
    /// Right before this column.
    pub before: Option<StatusId>,
}

/// The team's columns, in their order.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, team: &Team<TeamRead>) -> Result<Vec<StatusRecord>> {
    of_team(tx, team.id()).await
}

/// Creates a column.
///
/// # Errors
/// `STATUS_NAME_TAKEN`; `POSITION_CONFLICT` where two neighbours are named that are none; `INVALID_REQUEST` where a
/// neighbour is no column of the team.
pub async fn create(
    tx: &mut Tx,
    team: &Team<TeamWrite>,
    call: &Call<TeamWrite>,
    new: &NewStatus,
) -> Result<StatusRecord> {
    team.hold(tx).await?;
    let id = StatusId::new(call.now);
    let record = StatusRecord {
        id,
        name: new.name.clone(),
        description: new.description.clone(),
        position: position_at(tx, team.id(), id, new.place).await?,
        color: new.color.clone(),
        status: new.status.clone(),
        transition_state: new.transition_state,
        close_mode: new.close_mode,
        wip_limit: new.wip_limit,
        wip_policy: new.wip_policy,
        wip_unit: new.wip_unit,
        team_id: team.id(),
    };
    diesel::insert_into(team_statuses::table)
        .values((StatusRow::of(&record), team_statuses::created_at.eq(call.now.0)))
        .execute(tx)
        .await
        .map_err(name_taken)?;
    Ok(record)
}

/// Changes a column, and moves it where a place is named. Its cards show its new name and color at once.
///
/// # Errors
/// As [`create`].
pub async fn update(
    tx: &mut Tx,
    status: &Status<TeamWrite>,
    changes: &StatusChanges,
) -> Result<StatusRecord> {
    let before = &status.record;
    let mut after = changes.applied_to(before);
    if let Some(place) = changes.place {
        after.position = position_at(tx, before.team_id, before.id, place).await?;
    }
    let written = diesel::update(team_statuses::table.find(after.id.0))
        .set(StatusRow::of(&after))
        .execute(tx)
        .await
        .map_err(name_taken)?;
    if written != 1 {
        return Err(Error::internal("a locked column is gone"));
    }
    if (&after.name, &after.color) != (&before.name, &before.color) {
        let standing = hold_cards(tx, status).await?;
        boards::reindex(tx, &standing).await?;
    }
    Ok(after)
}

/// Deletes a column. Its cards go to the end of the column `to`, in their order, each as any move does; returns the
/// heads that they got.
///
/// # Errors
/// `FORBIDDEN` where the caller may not write one of them; `INVALID_REQUEST` where there are any and `to` is `None`, or
/// is no other column of the team; `WIP_LIMIT_REACHED` where that takes no more.
pub async fn delete(
    tx: &mut Tx,
    status: &Status<TeamWrite>,
    call: &Call<TeamWrite>,
    to: Option<StatusId>,
) -> Result<BTreeMap<CardId, HistoryId>> {
    let (id, team) = (status.record.id, status.team.id());
    let standing = clearing::hold(tx, team, Part::In(id)).await?;
    clearing::require_writable(tx, call, &standing).await?;
    let to = match to {
        Some(to) => {
            let mut columns = of_team(tx, team).await?.into_iter();
            let found = columns.find(|column| column.id == to && to != id);
            let none = || Error::invalid(MOVE_CARDS_TO, "exists", "must name another column of the team");
            Some(found.ok_or_else(none)?)
        }
        None => None,
    };
    let heads = match to {
        Some(to) => clearing::shift(tx, call, &status.record, &to, standing).await?,
        None if standing.is_empty() => BTreeMap::new(),
        None => {
            return Err(Error::invalid(
                MOVE_CARDS_TO,
                "required",
                "is required where cards stand in the column",
            ));
        }
    };
    let deleted = diesel::delete(team_statuses::table.find(id.0)).execute(tx).await?;
    if deleted == 1 { Ok(heads) } else { Err(Error::internal("a locked column is gone")) }
}

/// Holds the cards that stand in a column until the transaction ends; returns them by their ids.
async fn hold_cards(tx: &mut Tx, status: &Status<TeamWrite>) -> Result<Vec<Uuid>> {
    let standing =
        team_cards::table.filter(team_cards::status_id.eq(status.record.id.0)).select(team_cards::card_id);
    cards::table
        .filter(cards::id.eq_any(standing))
        .order(cards::id)
        .select(cards::id)
        .for_update()
        .load(tx)
        .await
        .map_err(Error::from)
}

/// A position at `place` for the column `id`, which may stand somewhere else now. The team's columns are held.
async fn position_at(tx: &mut Tx, team: TeamId, id: StatusId, place: ColumnPlace) -> Result<Position> {
    let row: Vec<(StatusId, Position)> =
        of_team(tx, team).await?.into_iter().map(|column| (column.id, column.position)).collect();
    let last = row.last().map(|(_, position)| position.clone());
    let (own, mut others): (Vec<_>, Vec<_>) = row.into_iter().partition(|(column, _)| *column == id);
    if own.is_empty() && others.len() >= TEAM_MAX_STATUSES {
        let message = format!("a team has at most {TEAM_MAX_STATUSES} columns");
        return Err(Error::invalid("", "maxItems", message));
    }
    let at = index_of(&others, place)?;
    if let [(_, own)] = own.as_slice()
        && others.partition_point(|(_, position)| position < own) == at
    {
        return Ok(own.clone());
    }
    if let Some(position) = between(&others, at) {
        return Ok(position);
    }
    // No key is short enough any more: the others go behind the last one, in their order.
    let anew = Position::in_a_row_after(last.as_ref(), others.len());
    for ((id, position), new) in others.iter_mut().zip(anew) {
        diesel::update(team_statuses::table.find(id.0))
            .set(team_statuses::position.eq(new.as_str()))
            .execute(tx)
            .await?;
        *position = new;
    }
    between(&others, at).ok_or_else(|| Error::internal("a list that was numbered anew has no room"))
}

/// A position behind the first `at` columns of a row.
fn between(row: &[(StatusId, Position)], at: usize) -> Option<Position> {
    let position_of = |index: usize| row.get(index).map(|(_, position)| position);
    Position::between(at.checked_sub(1).and_then(position_of), position_of(at))
}

/// How many of a row of columns stand before `place`.
fn index_of(row: &[(StatusId, Position)], place: ColumnPlace) -> Result<usize> {
    let find = |id: StatusId, field: &str| {
        row.iter()
            .position(|(column, _)| *column == id)
            .ok_or_else(|| Error::invalid(field, "exists", "must name another column of the team"))
    };
    let after = place.after.map(|id| find(id, "afterStatusId")).transpose()?.map(|index| index + 1);
    let before = place.before.map(|id| find(id, "beforeStatusId")).transpose()?;
    match (after, before) {
        (Some(after), Some(before)) if after != before => {
            Err(Error::new(Code::PositionConflict, "The two columns are not neighbours in this order."))
        }
        (after, before) => Ok(after.or(before).unwrap_or(row.len())),
    }
}

async fn of_team(tx: &mut Tx, team: TeamId) -> Result<Vec<StatusRecord>> {
    let rows: Vec<StatusRow> = team_statuses::table
        .filter(team_statuses::team_id.eq(team.0))
        .order(team_statuses::position)
        .select(StatusRow::as_select())
        .load(tx)
        .await?;
    rows.into_iter().map(StatusRow::record).collect()
}

impl StatusChanges {
    fn applied_to(&self, before: &StatusRecord) -> StatusRecord {
        StatusRecord {
            name: self.name.clone().unwrap_or_else(|| before.name.clone()),
            description: self.description.clone().unwrap_or_else(|| before.description.clone()),
            color: self.color.clone().unwrap_or_else(|| before.color.clone()),
            status: self.status.clone().unwrap_or_else(|| before.status.clone()),
            transition_state: self.transition_state.unwrap_or(before.transition_state),
            close_mode: self.close_mode.unwrap_or(before.close_mode),
            wip_limit: self.wip_limit.unwrap_or(before.wip_limit),
            wip_policy: self.wip_policy.unwrap_or(before.wip_policy),
            wip_unit: self.wip_unit.unwrap_or(before.wip_unit),
            ..before.clone()
        }
    }
}

fn name_taken(error: SqlError) -> Error {
    if error.violates_unique("team_statuses_team_name_key") {
        return Error::new(Code::StatusNameTaken, "The team has another status of this name.");
    }
    error.into()
}
