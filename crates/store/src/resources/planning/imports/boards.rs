//! Teams of an import with the columns of their boards. They are known by their ids in the export, and stay as they are
//! once they are made.

use std::collections::{HashMap, HashSet};

use auth::actor::{CardWrite, TeamWrite};
use database::prelude::*;
use database::schema::board_sources;
use diesel::sql_types::Uuid as SqlUuid;
use domain::content::project::ProjectRef;
use domain::id::{OrganizationId, SprintId, StatusId, TeamId};
use domain::planning::import::{ImportItem, ImportNote};
use domain::planning::project_export::ExportedTeam;
use domain::planning::status::{StatusRecord, TEAM_MAX_STATUSES};
use domain::planning::team::TeamRecord;
use domain::position::Position;
use domain::search::fold_case;
use domain::{Code, Error, Result};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::organization::Organization;
use crate::access::project::Project;
use crate::access::team::{Team, TeamRef};
use crate::access::team_project::TeamProjectRef;
use crate::resources::planning::imports::NewImport;
use crate::resources::planning::imports::notes::{EMPTY, NEW_REPORT, board_note};
use crate::resources::planning::teams::{self, NewTeam, projects, statuses};
use crate::resources::store::Tx;

const MADE: &str = "its members are not in the file: the importer manages it, and adds them";
const NO_SCOPE: &str = "the key may not make teams; the board is left out";
const NO_ROLE: &str = "you may not make teams in the organization; the board is left out";
const NO_RIGHT: &str = "you may not work on the board that an import made of it; left out";
const NAME_TAKEN: &str = "the organization has another team of this name, which stays; the board is left out";

/// A team of a file, as the organization has it.
enum FoundTeam {
    /// Nobody has made it, as far as the caller sees.
    Absent,
    /// An import made it.
    Known(Team<TeamWrite>),
    /// It can't be made; why.
    Refused(&'static str),
}

/// The column or sprint that was made of one in a file.
#[derive(Clone, Debug)]
pub(super) struct BoardSource {
    pub(super) column: Option<StatusId>,
    pub(super) sprint: Option<SprintId>,
    pub(super) pending_status: Option<String>,
}

/// The steps of an import without those for boards that the caller can't have, and a note on each new board. A trial's
/// notes tell of sprints what the work on them will.
pub(super) async fn permitted<'a>(
    tx: &mut Tx,
    call: &Call<CardWrite>,
    new: &'a NewImport,
) -> Result<(Vec<&'a (usize, ImportItem)>, Vec<ImportNote>)> {
    let (organization, items) = (new.organization, &new.items);
    let mut refused: HashMap<TeamId, &'static str> = HashMap::new();
    let (mut notes, mut made) = (Vec::new(), HashSet::new());
    for (_, item) in items {
        let ImportItem::Team(team) = item else { continue };
        let found = match call.also::<TeamWrite>() {
            Ok(call) => find(tx, organization, &call, &team.team).await?,
            Err(_) => FoundTeam::Refused(NO_SCOPE),
        };
        match found {
            FoundTeam::Absent => notes.push(board_note("team", team.team.name.as_str(), MADE)),
            FoundTeam::Known(team) => made.extend(sources(tx, team.id()).await?.into_keys()),
            FoundTeam::Refused(reason) => {
                refused.insert(team.team.id, reason);
            }
        }
    }
    let mut kept = Vec::with_capacity(items.len());
    for item in items {
        match board_of(&item.1).and_then(|team| refused.get(&team)) {
            Some(reason) => notes.extend(left_out(&item.1, reason)),
            None => kept.push(item),
        }
    }
    if new.is_dry_run {
        notes.extend(foreseen(&kept, &made));
    }
    Ok((kept, notes))
}

/// The notes on the sprints that aren't among those made before.
fn foreseen(items: &[&(usize, ImportItem)], made: &HashSet<Uuid>) -> Vec<ImportNote> {
    let sprint_of = |(_, item): &&(usize, ImportItem)| match item {
        ImportItem::Placement(placement) => placement.sprint,
        _ => None,
    };
    let filled: HashSet<SprintId> = items.iter().filter_map(sprint_of).collect();
    let note = |(_, item): &&(usize, ImportItem)| {
        let ImportItem::SprintState(sprint) = item else { return None };
        let reason = if filled.contains(&sprint.id) { NEW_REPORT } else { EMPTY };
        let is_new = !made.contains(&sprint.id.0);
        is_new.then(|| board_note("sprint", sprint.name.as_str(), reason))
    };
    items.iter().filter_map(note).collect()
}

/// Makes a team with its columns, or adds those that it lacks; links the project to it.
pub(super) async fn make(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    (organization, exported): (OrganizationId, &ExportedTeam),
) -> Result<Vec<ImportNote>> {
    let call = call.also::<TeamWrite>()?;
    let team = match find(tx, organization, &call, &exported.team).await? {
        FoundTeam::Known(team) => team,
        FoundTeam::Refused(reason) => {
            return Ok(vec![board_note("team", exported.team.name.as_str(), reason)]);
        }
        FoundTeam::Absent => create(tx, organization, &call, &exported.team).await?,
    };
    let notes = add_columns(tx, &team, &call, &exported.columns).await?;
    let project = ProjectRef { project: project.record.id, branch: None };
    let at = TeamProjectRef { team: TeamRef { organization, team: team.id() }, project };
    let at = at.resolve(tx, &call).await?;
    projects::link(tx, &at, &call).await?;
    Ok(notes)
}

/// The team that an import made of one in a file, if the caller works on its board.
pub(super) async fn known(
    tx: &mut Tx,
    organization: OrganizationId,
    call: &Call<TeamWrite>,
    source: TeamId,
) -> Result<Option<Team<TeamWrite>>> {
    match find_known(tx, organization, call, source).await? {
        FoundTeam::Known(team) => Ok(Some(team)),
        FoundTeam::Absent | FoundTeam::Refused(_) => Ok(None),
    }
}

/// The columns and sprints that imports made of those of a file, by the ids there.
pub(super) async fn sources(tx: &mut Tx, team: TeamId) -> Result<HashMap<Uuid, BoardSource>> {
    let rows: Vec<BoardSourceRow> = board_sources::table
        .filter(board_sources::team_id.eq(team.0))
        .select(BoardSourceRow::as_select())
        .load(tx)
        .await?;
    let source = |row: BoardSourceRow| {
        let BoardSourceRow { source_id, status_id, sprint_id, pending_status } = row;
        let (column, sprint) = (status_id.map(StatusId), sprint_id.map(SprintId));
        (source_id, BoardSource { column, sprint, pending_status })
    };
    Ok(rows.into_iter().map(source).collect())
}

/// Remembers of which team, column or sprint of a file a part of a board was made.
pub(super) async fn remember(tx: &mut Tx, team: TeamId, source: Uuid, made: &BoardSource) -> Result<()> {
    let written = diesel::insert_into(board_sources::table)
        .values((
            board_sources::team_id.eq(team.0),
            board_sources::source_id.eq(source),
            board_sources::status_id.eq(made.column.map(|column| column.0)),
            board_sources::sprint_id.eq(made.sprint.map(|sprint| sprint.0)),
            board_sources::pending_status.eq(made.pending_status.as_deref()),
        ))
        .execute(tx)
        .await?;
    if written == 1 { Ok(()) } else { Err(Error::internal("the source of a board was not kept")) }
}

/// The team of a file, as the caller finds it in the organization.
async fn find(
    tx: &mut Tx,
    organization: OrganizationId,
    call: &Call<TeamWrite>,
    exported: &TeamRecord,
) -> Result<FoundTeam> {
    let before = made_of(tx, organization, exported.id).await?;
    let found = find_known(tx, organization, call, exported.id).await?;
    if !matches!(found, FoundTeam::Absent) {
        return Ok(found);
    }
    let member: Result<Organization<TeamWrite>> = organization.resolve(tx, call).await;
    let member = match member {
        Err(error) if [Code::NotFound, Code::Forbidden].contains(&error.code) => {
            return Ok(FoundTeam::Refused(NO_ROLE));
        }
        member => member?,
    };
    // The id in the file may be that of the organization's own team.
    let new = TeamRecord { id: TeamId::new(call.now), organization_id: organization, ..exported.clone() };
    let is_taken = teams::has_namesake(tx, &new, member.user).await?;
    // The import of another project may just have made it: then the creation fails, and the next attempt finds the team.
    match is_taken && made_of(tx, organization, exported.id).await? == before {
        true => Ok(FoundTeam::Refused(NAME_TAKEN)),
        false => Ok(FoundTeam::Absent),
    }
}

/// As [`find`], among the teams that imports made.
async fn find_known(
    tx: &mut Tx,
    organization: OrganizationId,
    call: &Call<TeamWrite>,
    source: TeamId,
) -> Result<FoundTeam> {
    let mut refused = FoundTeam::Absent;
    for team in made_of(tx, organization, source).await? {
        match (TeamRef { organization, team }).resolve(tx, call).await {
            Ok(team) => return Ok(FoundTeam::Known(team)),
            // Another importer's private team is absent for the caller, who gets an own one.
            Err(error) if error.code == Code::NotFound => {}
            Err(error) if error.code == Code::Forbidden => refused = FoundTeam::Refused(NO_RIGHT),
            Err(error) => return Err(error),
        }
    }
    Ok(refused)
}

/// The teams of the organization that imports made of one in a file, the oldest first.
async fn made_of(tx: &mut Tx, organization: OrganizationId, source: TeamId) -> Result<Vec<TeamId>> {
    let rows: Vec<MadeTeamRow> = Statement::new(include_str!("teams.sql"))
        .bind::<SqlUuid, _>(organization.0)
        .bind::<SqlUuid, _>(source.0)
        .load(tx)
        .await?;
    Ok(rows.into_iter().map(|row| TeamId(row.team_id)).collect())
}

async fn create(
    tx: &mut Tx,
    organization: OrganizationId,
    call: &Call<TeamWrite>,
    exported: &TeamRecord,
) -> Result<Team<TeamWrite>> {
    let member: Organization<TeamWrite> = organization.resolve(tx, call).await?;
    let new = NewTeam {
        name: exported.name.clone(),
        description: exported.description.clone(),
        status: exported.status.clone(),
        visibility: exported.visibility,
        time_zone: exported.time_zone.clone(),
    };
    let team = teams::create(tx, &member, call, &new).await?.id;
    let own = BoardSource { column: None, sprint: None, pending_status: None };
    remember(tx, team, exported.id.0, &own).await?;
    TeamRef { organization, team }.resolve(tx, call).await
}

/// Adds the columns that no import has made yet. One of the same name is taken for it. An empty board gets the positions
/// of the file.
async fn add_columns(
    tx: &mut Tx,
    team: &Team<TeamWrite>,
    call: &Call<TeamWrite>,
    columns: &[StatusRecord],
) -> Result<Vec<ImportNote>> {
    team.hold(tx).await?;
    let known = sources(tx, team.id()).await?;
    let own = statuses::of_team(tx, team.id()).await?;
    let mut last = own.last().map(|column| column.position.clone());
    let (mut new, mut count, mut notes) = (Vec::new(), own.len(), Vec::new());
    for column in columns.iter().filter(|column| !known.contains_key(&column.id.0)) {
        let folded = fold_case(column.name.as_str());
        let same = own.iter().find(|own| fold_case(own.name.as_str()) == folded);
        let id = match same {
            Some(same) => same.id,
            None if count >= TEAM_MAX_STATUSES => {
                let reason = "the board has no room for another column; left out";
                notes.push(board_note("column", column.name.as_str(), reason));
                continue;
            }
            None => {
                let behind = || Position::between(last.as_ref(), None);
                let position = if own.is_empty() { Some(column.position.clone()) } else { behind() };
                let position = position
                    .ok_or_else(|| Error::internal("a board has no position behind its last column"))?;
                let id = StatusId::new(call.now);
                last = Some(position.clone());
                new.push((column.id, StatusRecord { id, position, team_id: team.id(), ..column.clone() }));
                count += 1;
                continue;
            }
        };
        remember(tx, team.id(), column.id.0, &of_column(id)).await?;
    }
    if !new.is_empty() {
        statuses::insert(tx, call, team.id(), new.iter().map(|(_, column)| column)).await?;
    }
    for (source, column) in &new {
        remember(tx, team.id(), source.0, &of_column(column.id)).await?;
    }
    Ok(notes)
}

fn of_column(column: StatusId) -> BoardSource {
    BoardSource { column: Some(column), sprint: None, pending_status: None }
}

/// The team to whose board a step belongs.
fn board_of(item: &ImportItem) -> Option<TeamId> {
    match item {
        ImportItem::Team(team) => Some(team.team.id),
        ImportItem::Sprint(sprint) | ImportItem::SprintState(sprint) => Some(sprint.team_id),
        ImportItem::Placement(placement) => Some(placement.team),
        ImportItem::Field(_) | ImportItem::Tag(_) | ImportItem::Card(_) | ImportItem::Relation(_) => None,
    }
}

/// The note on a step that is left out with its board.
fn left_out(item: &ImportItem, reason: &str) -> Option<ImportNote> {
    match item {
        ImportItem::Team(team) => Some(board_note("team", team.team.name.as_str(), reason)),
        ImportItem::Sprint(sprint) => Some(board_note("sprint", sprint.name.as_str(), reason)),
        ImportItem::Placement(placement) => {
            let note = board_note("board", &placement.shown, reason);
            Some(ImportNote { issue: Some(placement.card_key.clone()), ..note })
        }
        ImportItem::Field(_)
        | ImportItem::Tag(_)
        | ImportItem::Card(_)
        | ImportItem::Relation(_)
        | ImportItem::SprintState(_) => None,
    }
}

#[derive(QueryableByName)]
struct MadeTeamRow {
    #[diesel(sql_type = SqlUuid)]
    team_id: Uuid,
}

/// A row of `board_sources`, without its team.
#[derive(Queryable, Selectable)]
#[diesel(table_name = board_sources)]
struct BoardSourceRow {
    source_id: Uuid,
    status_id: Option<Uuid>,
    sprint_id: Option<Uuid>,
    pending_status: Option<String>,
}
