//! Teams: create, list, change, delete. Submodules: columns and their past, linked projects, available cards.

pub mod available;
pub(super) mod layouts;
pub mod projects;
pub mod statuses;

use std::collections::{BTreeMap, BTreeSet};

use auth::actor::{TeamManage, TeamRead, TeamWrite};
use database::error::SqlError;
use database::prelude::*;
use database::schema::{team_members, teams};
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::event::change::ChangeData;
use domain::event::change::data::TeamEventData;
use domain::id::{CardId, HistoryId, TeamId, UserId};
use domain::people::role::TeamRole;
use domain::planning::team::{TeamRecord, TeamVisibility};
use domain::search::{fold, fold_case};
use domain::text::{Description, Name};
use domain::time::Zone;
use domain::{Code, Error, Result, Rule};

use crate::access::call::Call;
use crate::access::organization::Organization;
use crate::access::owner;
use crate::access::team::{Team, TeamRow};
use crate::resources::audit;
use crate::resources::outbox::{NewChangeEvent, changed_fields};
use crate::resources::planning::cards::clearing::{self, BoardPart, LockedCard};
use crate::resources::planning::cards::{history, view};
use crate::resources::store::Tx;

/// A team to be created.
#[derive(Clone, Debug)]
pub struct NewTeam {
    /// Unique among the teams that its manager sees, without regard to case.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Lifecycle status.
    pub status: Name,
    /// The users who can see it.
    pub visibility: TeamVisibility,
    /// The time zone of its days.
    pub time_zone: Zone,
}

/// Changes of a team. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamChanges {
    /// Name.
    pub name: Option<Name>,
    /// Description.
    pub description: Option<Description>,
    /// Lifecycle status.
    pub status: Option<Name>,
    /// The users who can see it.
    pub visibility: Option<TeamVisibility>,
    /// The time zone of its days. Sprints keep their dates.
    pub time_zone: Option<Zone>,
}

/// A page of an organization's teams.
#[derive(Clone, Debug)]
pub struct TeamFilter<'a> {
    /// Only those whose name contains this text, both folded (`domain::search::fold`).
    pub folded_q: Option<&'a str>,
    /// Only those of this lifecycle status.
    pub status: Option<&'a Name>,
    /// Only those created before this one.
    pub before: Option<TeamId>,
    /// Most rows.
    pub rows: u32,
}

/// Creates a team with the caller as its manager.
///
/// # Errors
/// `TEAM_NAME_TAKEN`.
pub async fn create(
    tx: &mut Tx,
    organization: &Organization<TeamWrite>,
    call: &Call<TeamWrite>,
    new: &NewTeam,
) -> Result<TeamRecord> {
    let team = TeamRecord {
        id: TeamId::new(call.now),
        name: new.name.clone(),
        description: new.description.clone(),
        status: new.status.clone(),
        created_at: call.now,
        updated_at: call.now,
        organization_id: organization.id,
        visibility: new.visibility,
        time_zone: new.time_zone.clone(),
    };
    require_free_name(tx, &team, organization.user).await?;
    diesel::insert_into(teams::table)
        .values((
            teams::id.eq(team.id.0),
            teams::organization_id.eq(team.organization_id.0),
            teams::name.eq(team.name.as_str()),
            teams::folded_name.eq(fold_case(team.name.as_str())),
            teams::description.eq(team.description.as_str()),
            teams::status.eq(team.status.as_str()),
            teams::visibility.eq(team.visibility.as_str()),
            teams::time_zone.eq(team.time_zone.name()),
            teams::created_at.eq(team.created_at.0),
            teams::updated_at.eq(team.updated_at.0),
        ))
        .execute(tx)
        .await
        .map_err(name_taken)?;
    diesel::insert_into(team_members::table)
        .values((
            team_members::team_id.eq(team.id.0),
            team_members::user_id.eq(organization.user.0),
            team_members::role.eq(TeamRole::Manager.as_str()),
            team_members::created_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    layouts::record(tx, call, team.id, &[]).await?;
    audit::record(tx, call, team.id.0).await?;
    Ok(team)
}

/// The teams of an organization that the caller sees, newest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    organization: &Organization<TeamRead>,
    filter: &TeamFilter<'_>,
) -> Result<Vec<TeamRecord>> {
    let sees_teams = |internal| organization.role.on_team(internal).is_some();
    let rows: Vec<TeamRow> = Statement::new(include_str!("teams/list.sql"))
        .bind::<SqlUuid, _>(organization.id.0)
        .bind::<SqlUuid, _>(organization.user.0)
        .bind::<Bool, _>(sees_teams(true))
        .bind::<Bool, _>(sees_teams(false))
        .bind::<Nullable<Text>, _>(filter.status.map(Name::as_str))
        .bind::<Nullable<SqlUuid>, _>(filter.before.map(|id| id.0))
        // An organization has few teams, whose names are compared here.
        .bind::<Nullable<BigInt>, _>(filter.folded_q.is_none().then_some(i64::from(filter.rows)))
        .load(tx)
        .await?;
    let teams: Result<Vec<TeamRecord>> = rows.into_iter().map(TeamRow::record).collect();
    let matches = |team: &TeamRecord| filter.folded_q.is_none_or(|q| fold(team.name.as_str()).contains(q));
    let most = usize::try_from(filter.rows).unwrap_or(usize::MAX);
    Ok(teams?.into_iter().filter(matches).take(most).collect())
}

/// Changes a team's own fields.
///
/// # Errors
/// `TEAM_NAME_TAKEN`.
pub async fn update(
    tx: &mut Tx,
    team: &Team<TeamManage>,
    call: &Call<TeamManage>,
    changes: &TeamChanges,
) -> Result<TeamRecord> {
    let before = &team.record;
    let after = TeamRecord {
        name: changes.name.clone().unwrap_or_else(|| before.name.clone()),
        description: changes.description.clone().unwrap_or_else(|| before.description.clone()),
        status: changes.status.clone().unwrap_or_else(|| before.status.clone()),
        visibility: changes.visibility.unwrap_or(before.visibility),
        time_zone: changes.time_zone.clone().unwrap_or_else(|| before.time_zone.clone()),
        updated_at: call.now,
        ..before.clone()
    };
    if after.name != before.name {
        require_free_name(tx, &after, team.user).await?;
    }
    let written = diesel::update(teams::table.find(after.id.0))
        .set((
            teams::name.eq(after.name.as_str()),
            teams::folded_name.eq(fold_case(after.name.as_str())),
            teams::description.eq(after.description.as_str()),
            teams::status.eq(after.status.as_str()),
            teams::visibility.eq(after.visibility.as_str()),
            teams::time_zone.eq(after.time_zone.name()),
            teams::updated_at.eq(after.updated_at.0),
        ))
        .execute(tx)
        .await
        .map_err(name_taken)?;
    if written != 1 {
        return Err(Error::internal("a locked team is gone"));
    }
    audit::record(tx, call, after.id.0).await?;
    let fields = changed_fields(before, &after)?;
    if !fields.is_empty() {
        let change = ChangeData::TeamUpdated(TeamEventData { team_id: after.id, fields });
        tx.publish(NewChangeEvent::of_team(call, after.id, change));
    }
    Ok(after)
}

/// Deletes a team with all that belongs to it. The cards of its board stay; returns their new heads. `expected` are the heads
/// of exactly these cards, if the client sends them.
///
/// # Errors
/// `FORBIDDEN` if the caller may not write one of the cards; `CARD_HISTORY_CONFLICT` if `expected` names other cards or heads.
pub async fn delete(
    tx: &mut Tx,
    team: &Team<TeamManage>,
    call: &Call<TeamManage>,
    expected: Option<&BTreeMap<CardId, HistoryId>>,
) -> Result<BTreeMap<CardId, HistoryId>> {
    let id = team.id();
    let cards = clearing::lock(tx, id, BoardPart::All).await?;
    clearing::require_writable(tx, call, &cards).await?;
    if let Some(expected) = expected {
        require_heads(tx, call, expected, &cards).await?;
    }
    let heads = clearing::remove_from_board(tx, call, id, &cards).await?;
    let deleted = Statement::new(include_str!("teams/delete.sql"))
        .bind::<SqlUuid, _>(id.0)
        .bind::<Timestamptz, _>(call.now.0)
        .execute(tx)
        .await?;
    if deleted != 1 {
        return Err(Error::internal("a locked team is gone"));
    }
    audit::record(tx, call, id.0).await?;
    let change = ChangeData::TeamDeleted(TeamEventData { team_id: id, fields: Vec::new() });
    tx.publish(NewChangeEvent::of_team(call, id, change));
    Ok(heads)
}

/// Refuses heads that are not exactly those that the caller sees of the cards on the board.
async fn require_heads(
    tx: &mut Tx,
    call: &Call<TeamManage>,
    expected: &BTreeMap<CardId, HistoryId>,
    locked: &[LockedCard],
) -> Result<()> {
    let visible = view::boards(tx, call, locked.iter().map(|card| &card.board_heads)).await?;
    let head = |card: &LockedCard| card.board_heads.head(card.own_head, |team| visible.contains(&team)).id;
    let current: BTreeMap<CardId, HistoryId> = locked.iter().map(|card| (card.card, head(card))).collect();
    let cards: BTreeSet<&CardId> = expected.keys().chain(current.keys()).collect();
    let conflicts: Vec<_> = cards
        .into_iter()
        .map(|card| (*card, expected.get(card).copied(), current.get(card).copied()))
        .filter(|(_, expected, current)| expected != current)
        .collect();
    if conflicts.is_empty() { Ok(()) } else { Err(history::conflicts(&conflicts)) }
}

/// Refuses the name of another team that `user` can see. The name of a hidden team is permitted: a refusal would reveal the
/// team. Concurrent callers wait for each other.
async fn require_free_name(tx: &mut Tx, team: &TeamRecord, user: UserId) -> Result<()> {
    owner::hold(tx, team.organization_id.into()).await?;
    if has_namesake(tx, team, user).await? { Err(taken_name()) } else { Ok(()) }
}

/// True if another team that `user` can see has the team's name.
pub(super) async fn has_namesake(tx: &mut Tx, team: &TeamRecord, user: UserId) -> Result<bool> {
    let taken: Vec<TeamRow> = Statement::new(include_str!("teams/find_by_name.sql"))
        .bind::<SqlUuid, _>(team.organization_id.0)
        .bind::<Text, _>(fold_case(team.name.as_str()))
        .bind::<SqlUuid, _>(team.id.0)
        .bind::<SqlUuid, _>(user.0)
        .load(tx)
        .await?;
    Ok(!taken.is_empty())
}

fn name_taken(error: SqlError) -> Error {
    if error.violates_unique("teams_organization_name_key") { taken_name() } else { error.into() }
}

fn taken_name() -> Error {
    let message = "belongs to another team of the organization";
    Error::invalid("name", Rule::Unique, message).under(Code::TeamNameTaken)
}
