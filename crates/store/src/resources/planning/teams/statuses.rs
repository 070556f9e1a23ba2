//! Columns of a team's board, called statuses in the API: list, create, change, move, delete.

use std::collections::BTreeMap;

use auth::actor::{TeamRead, TeamWrite};
use database::error::SqlError;
use database::prelude::*;
use database::schema::{cards, team_cards, team_status_transitions, team_statuses};
use domain::event::change::ChangeData;
use domain::event::change::data::StatusEventData;
use domain::id::{CardId, HistoryId, StatusId, TeamId};
use domain::planning::status::{
    CloseMode, StatusRecord, TEAM_MAX_STATUSES, TransitionState, WipLimit, WipPolicy, WipUnit,
};
use domain::planning::tag::Color;
use domain::position::Position;
use domain::text::{Description, Name};
use domain::{Code, Error, Result, Rule};
use serde_json::json;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::rows::status::StatusRow;
use crate::access::status::Status;
use crate::access::team::Team;
use crate::resources::outbox::{NewChangeEvent, changed_fields};
use crate::resources::planning::cards::boards;
use crate::resources::planning::cards::clearing::{self, BoardPart};
use crate::resources::planning::teams::layouts;
use crate::resources::store::Tx;

/// The request's field for the new column of a deleted column's cards.
const MOVE_CARDS_TO: &str = "moveCardsTo";

/// A column to be created.
#[derive(Clone, Debug)]
pub struct NewStatus {
    /// Unique in the team.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Color.
    pub color: Color,
    /// Lifecycle flag.
    pub status: Name,
    /// The state of work in this column.
    pub transition_state: TransitionState,
    /// When a move into the column closes or reopens a card.
    pub close_mode: CloseMode,
    /// Most work in the column.
    pub wip_limit: Option<WipLimit>,
    /// The reaction to an exceeded limit.
    pub wip_policy: WipPolicy,
    /// The unit of the limit.
    pub wip_unit: WipUnit,
    /// The place among the columns.
    pub place: ColumnPlace,
}

/// Changes of a column. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusChanges {
    /// Unique in the team.
    pub name: Option<Name>,
    /// Description.
    pub description: Option<Description>,
    /// Color.
    pub color: Option<Color>,
    /// Lifecycle flag.
    pub status: Option<Name>,
    /// The state of work in this column. Its cards neither open nor close; reports on sprints judge them by the new state.
    pub transition_state: Option<TransitionState>,
    /// When a move into the column closes or reopens a card.
    pub close_mode: Option<CloseMode>,
    /// Most work in the column; `Some(None)` clears it.
    pub wip_limit: Option<Option<WipLimit>>,
    /// The reaction to an exceeded limit.
    pub wip_policy: Option<WipPolicy>,
    /// The unit of the limit.
    pub wip_unit: Option<WipUnit>,
    /// The place among the columns.
    pub place: Option<ColumnPlace>,
}

/// A place among a team's columns, by its neighbours. Defaults to the end.
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
/// `STATUS_NAME_TAKEN`; `POSITION_CONFLICT` if the two named columns are not neighbours; `INVALID_REQUEST` if one is not a
/// column of the team.
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
    insert(tx, call, team.id(), [&record]).await?;
    Ok(record)
}

/// Writes new columns of a team, whose set of columns is held.
///
/// # Errors
/// `STATUS_NAME_TAKEN`.
pub(in crate::resources::planning) async fn insert(
    tx: &mut Tx,
    call: &Call<TeamWrite>,
    team: TeamId,
    columns: impl IntoIterator<Item = &StatusRecord>,
) -> Result<()> {
    for column in columns {
        diesel::insert_into(team_statuses::table)
            .values((StatusRow::of(column), team_statuses::created_at.eq(call.now.0)))
            .execute(tx)
            .await
            .map_err(name_taken)?;
        publish(tx, call, column, Vec::new(), ChangeData::StatusCreated);
    }
    keep_layout(tx, call, team).await
}

/// Changes a column, and moves it if a place is named. Its cards show the new name and color at once.
///
/// # Errors
/// As [`create`].
pub async fn update(
    tx: &mut Tx,
    status: &Status<TeamWrite>,
    call: &Call<TeamWrite>,
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
    if after.transition_state != before.transition_state {
        record_transition(tx, call, &after).await?;
    }
    if (&after.name, &after.color) != (&before.name, &before.color) {
        let cards = lock_cards(tx, status).await?;
        boards::reindex(tx, &cards).await?;
    }
    let fields = changed_fields(before, &after)?;
    if !fields.is_empty() {
        keep_layout(tx, call, after.team_id).await?;
        publish(tx, call, &after, fields, ChangeData::StatusUpdated);
    }
    Ok(after)
}

/// Deletes a column. Its cards move to the end of the column `to`, in their order; returns their new heads.
///
/// # Errors
/// `FORBIDDEN` if the caller may not write one of the cards; `INVALID_REQUEST` if there are cards and `to` is `None`, or `to` is
/// not another column of the team; `WIP_LIMIT_REACHED` if `to` takes no more cards.
pub async fn delete(
    tx: &mut Tx,
    status: &Status<TeamWrite>,
    call: &Call<TeamWrite>,
    to: Option<StatusId>,
) -> Result<BTreeMap<CardId, HistoryId>> {
    let (id, team) = (status.record.id, status.team.id());
    let cards = clearing::lock(tx, team, BoardPart::Column(id)).await?;
    clearing::require_writable(tx, call, &cards).await?;
    let to = match to {
        Some(to) => {
            let mut columns = of_team(tx, team).await?.into_iter();
            let found = columns.find(|column| column.id == to && to != id);
            let missing =
                || Error::invalid(MOVE_CARDS_TO, Rule::Exists, "must name another column of the team");
            Some(found.ok_or_else(missing)?)
        }
        None => None,
    };
    let heads = match to {
        Some(to) => clearing::move_to_column(tx, call, &status.record, &to, cards).await?,
        None if cards.is_empty() => BTreeMap::new(),
        None => {
            return Err(Error::invalid(
                MOVE_CARDS_TO,
                Rule::Required,
                "is required where cards stand in the column",
            ));
        }
    };
    let deleted = diesel::delete(team_statuses::table.find(id.0)).execute(tx).await?;
    if deleted != 1 {
        return Err(Error::internal("a locked column is gone"));
    }
    keep_layout(tx, call, team).await?;
    publish(tx, call, &status.record, Vec::new(), ChangeData::StatusDeleted);
    Ok(heads)
}

/// Records a column's new transition state for the reports on sprints. Its number divides the moves of cards into those
/// before and after it: the columns are locked.
async fn record_transition(tx: &mut Tx, call: &Call<TeamWrite>, status: &StatusRecord) -> Result<()> {
    let written = diesel::insert_into(team_status_transitions::table)
        .values((
            team_status_transitions::team_id.eq(status.team_id.0),
            team_status_transitions::status_id.eq(status.id.0),
            team_status_transitions::transition_state.eq(status.transition_state.as_str()),
            team_status_transitions::occurred_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    if written == 1 { Ok(()) } else { Err(Error::internal("a column's transition was not recorded")) }
}

/// Keeps the team's columns as they are now for the past of its board.
async fn keep_layout(tx: &mut Tx, call: &Call<TeamWrite>, team: TeamId) -> Result<()> {
    let columns = of_team(tx, team).await?;
    layouts::record(tx, call, team, &columns).await
}

fn publish(
    tx: &mut Tx,
    call: &Call<TeamWrite>,
    status: &StatusRecord,
    fields: Vec<String>,
    change: impl FnOnce(StatusEventData) -> ChangeData,
) {
    let data = StatusEventData { status_id: status.id, team_id: status.team_id, fields };
    tx.publish(NewChangeEvent::of_team(call, status.team_id, change(data)));
}

/// Locks the cards of a column, in the order of their ids; returns their ids.
async fn lock_cards(tx: &mut Tx, status: &Status<TeamWrite>) -> Result<Vec<Uuid>> {
    let in_column =
        team_cards::table.filter(team_cards::status_id.eq(status.record.id.0)).select(team_cards::card_id);
    cards::table
        .filter(cards::id.eq_any(in_column))
        .order(cards::id)
        .select(cards::id)
        .for_update()
        .load(tx)
        .await
        .map_err(Error::from)
}

/// A position at `place` for the new or existing column `id`. The caller has locked the team's columns.
async fn position_at(tx: &mut Tx, team: TeamId, id: StatusId, place: ColumnPlace) -> Result<Position> {
    let row: Vec<(StatusId, Position)> =
        of_team(tx, team).await?.into_iter().map(|column| (column.id, column.position)).collect();
    let last = row.last().map(|(_, position)| position.clone());
    let (own, mut others): (Vec<_>, Vec<_>) = row.into_iter().partition(|(column, _)| *column == id);
    if own.is_empty() && others.len() >= TEAM_MAX_STATUSES {
        let message = format!("a team has at most {TEAM_MAX_STATUSES} columns");
        return Err(Error::invalid("", Rule::MaxItems(TEAM_MAX_STATUSES), message));
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
    // The gap has no short key left: the other columns are renumbered behind the last one, in their order.
    let renumbered = Position::in_a_row_after(last.as_ref(), others.len());
    for ((id, position), new) in others.iter_mut().zip(renumbered) {
        diesel::update(team_statuses::table.find(id.0))
            .set(team_statuses::position.eq(new.as_str()))
            .execute(tx)
            .await?;
        *position = new;
    }
    between(&others, at).ok_or_else(|| Error::internal("a renumbered list has no free position"))
}

/// A position behind the first `at` columns of a row.
fn between(row: &[(StatusId, Position)], at: usize) -> Option<Position> {
    let position_of = |index: usize| row.get(index).map(|(_, position)| position);
    Position::between(at.checked_sub(1).and_then(position_of), position_of(at))
}

/// The number of columns of a row that are before `place`.
fn index_of(row: &[(StatusId, Position)], place: ColumnPlace) -> Result<usize> {
    let find = |id: StatusId, field: &str| {
        row.iter()
            .position(|(column, _)| *column == id)
            .ok_or_else(|| Error::invalid(field, Rule::Exists, "must name another column of the team"))
    };
    let after = place.after.map(|id| find(id, "afterStatusId")).transpose()?.map(|index| index + 1);
    let before = place.before.map(|id| find(id, "beforeStatusId")).transpose()?;
    match (after, before) {
        (Some(after), Some(before)) if after != before => {
            let order: Vec<StatusId> = row.iter().map(|(column, _)| *column).collect();
            Err(Error::new(Code::PositionConflict, "The two columns are not neighbours in this order.")
                .with_details(json!({ "statusIds": order })))
        }
        (after, before) => Ok(after.or(before).unwrap_or(row.len())),
    }
}

/// The team's columns, in their order.
pub(crate) async fn of_team(connection: &Connection, team: TeamId) -> Result<Vec<StatusRecord>> {
    let rows: Vec<StatusRow> = team_statuses::table
        .filter(team_statuses::team_id.eq(team.0))
        .order(team_statuses::position)
        .select(StatusRow::as_select())
        .load(connection)
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
        let message = "belongs to another status of the team";
        return Error::invalid("name", Rule::Unique, message).under(Code::StatusNameTaken);
    }
    error.into()
}
