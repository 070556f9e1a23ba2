//! Places of imported cards on a board, many in few statements. Limits on work don't count: the cards stood there
//! before.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;

use auth::actor::{CardWrite, TeamWrite};
use database::decode;
use database::prelude::*;
use database::schema::team_cards;
use diesel::sql_types::{Array, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, OrganizationId, StatusId, TeamId};
use domain::planning::board::Placement;
use domain::planning::history::{FieldChanges, HistoryHead, HistoryKind, TEAM_PLACEMENT};
use domain::planning::import::board::ImportedPlacement;
use domain::planning::import::{ImportNote, ImportTool};
use domain::planning::status::StatusRecord;
use domain::position::Position;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::board_card::HeldBoard;
use crate::access::call::Call;
use crate::access::card;
use crate::access::project::Project;
use crate::access::team::TeamRef;
use crate::resources::planning::cards::boards as board_index;
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::planning::imports::boards::{self, BoardSource};
use crate::resources::planning::imports::cards::by_source;
use crate::resources::planning::imports::notes::{NO_BOARD, board_note};
use crate::resources::store::Tx;

const NO_CARD: &str = "the card was deleted here; left out";
const NO_LINK: &str = "the project is not linked to the team here; left out";
const NO_COLUMN: &str = "its column is not here; left out";
const NO_SPRINT: &str = "its sprint is not here; the card is in none";
const SPRINT_OVER: &str = "the sprint is completed here: its report does not count the card";

/// The parts of a held board that places are found by.
struct ImportedParts {
    columns: HashMap<StatusId, StatusRecord>,
    open_sprints: HashSet<Uuid>,
    sources: HashMap<Uuid, BoardSource>,
    /// Ranks in the columns.
    ranks: HashMap<StatusId, BTreeSet<Position>>,
}

/// Puts cards on the board of one team. Those that are or were on it stay as they are.
pub(super) async fn place(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    (organization, placements): (OrganizationId, &[&ImportedPlacement]),
) -> Result<Vec<ImportNote>> {
    let Some(first) = placements.first() else { return Ok(Vec::new()) };
    let all = |reason| placements.iter().map(|placement| note(placement, reason)).collect();
    let call_on_board = call.also::<TeamWrite>()?;
    let Some(team) = boards::known(tx, organization, &call_on_board, first.team).await? else {
        return Ok(all(NO_BOARD));
    };
    let at = TeamRef { organization, team: team.id() };
    let board = HeldBoard::hold(tx, &at, &call_on_board).await?;
    if !board.hold_link(tx, project.record.id).await? {
        return Ok(all(NO_LINK));
    }
    let ids = placements.iter().map(|placement| placement.card.as_str()).collect();
    let made = by_source(tx, project, ImportTool::Ndjson, ids).await?;
    let locked = card::lock(tx, project, made.values().map(|card| card.0).collect()).await?;
    let mut locked: HashSet<CardId> = locked.into_iter().map(|state| state.card.id).collect();
    let seen = seen(tx, team.id(), &locked).await?;
    let mut parts = ImportedParts {
        columns: board.columns.iter().map(|column| (column.id, column.clone())).collect(),
        open_sprints: board.sprints.iter().map(|sprint| sprint.0).collect(),
        sources: boards::sources(tx, team.id()).await?,
        ranks: ranks(tx, team.id()).await?,
    };
    let (mut placed, mut notes) = (Vec::new(), Vec::new());
    for placement in placements {
        let Some(card) = made.get(&placement.card).copied().filter(|card| locked.remove(card)) else {
            notes.push(note(placement, NO_CARD));
            continue;
        };
        if seen.contains(&card.0) {
            continue;
        }
        match parts.find(team.id(), placement, &mut notes)? {
            Some(found) => placed.push((card, found)),
            None => notes.push(note(placement, NO_COLUMN)),
        }
    }
    write(tx, project, call, team.id(), &placed).await?;
    Ok(notes)
}

impl ImportedParts {
    /// The place on the board; `None` without its column. Its rank is that of the file, if that is free.
    fn find(
        &mut self,
        team_id: TeamId,
        placement: &ImportedPlacement,
        notes: &mut Vec<ImportNote>,
    ) -> Result<Option<Placement>> {
        let column = self.sources.get(&placement.column.0).and_then(|source| source.column);
        let Some(column) = column.and_then(|column| self.columns.get(&column)) else { return Ok(None) };
        let sprint_id = placement.sprint.and_then(|sprint| self.sources.get(&sprint.0)?.sprint);
        match (placement.sprint, sprint_id) {
            (Some(_), None) => notes.push(note(placement, NO_SPRINT)),
            (_, Some(sprint)) if !self.open_sprints.contains(&sprint.0) => {
                notes.push(note(placement, SPRINT_OVER));
            }
            _ => {}
        }
        let ranks = self.ranks.entry(column.id).or_default();
        let rank = free(ranks, placement.rank.as_ref())
            .ok_or_else(|| Error::internal("a column has no rank behind its last card"))?;
        ranks.insert(rank.clone());
        Ok(Some(Placement {
            team_id,
            status_id: column.id,
            transition_state: column.transition_state,
            sprint_id,
            rank,
        }))
    }
}

/// A rank that no card of a column has: the wanted one, else one right below it, else one at the end.
fn free(ranks: &BTreeSet<Position>, wanted: Option<&Position>) -> Option<Position> {
    let end = || Position::between(ranks.last(), None);
    let Some(wanted) = wanted else { return end() };
    if !ranks.contains(wanted) {
        return Some(wanted.clone());
    }
    let next = ranks.range::<Position, _>((Bound::Excluded(wanted), Bound::Unbounded)).next();
    Position::between(Some(wanted), next).or_else(end)
}

/// Those of the cards that are on the board, or were removed from it.
async fn seen(tx: &mut Tx, team: TeamId, cards: &HashSet<CardId>) -> Result<HashSet<Uuid>> {
    let rows: Vec<SeenCardRow> = Statement::new(include_str!("seen.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|card| card.0).collect::<Vec<_>>())
        .load(tx)
        .await?;
    Ok(rows.into_iter().map(|row| row.card_id).collect())
}

/// The ranks in the columns of a board, which is held.
async fn ranks(tx: &mut Tx, team: TeamId) -> Result<HashMap<StatusId, BTreeSet<Position>>> {
    let rows: Vec<(Uuid, String)> = team_cards::table
        .filter(team_cards::team_id.eq(team.0))
        .select((team_cards::status_id, team_cards::rank))
        .load(tx)
        .await?;
    let mut ranks: HashMap<StatusId, BTreeSet<Position>> = HashMap::new();
    for (column, rank) in rows {
        ranks.entry(StatusId(column)).or_default().insert(decode::parse(&rank)?);
    }
    Ok(ranks)
}

async fn write(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    team: TeamId,
    placed: &[(CardId, Placement)],
) -> Result<()> {
    if placed.is_empty() {
        return Ok(());
    }
    let entry = |(card, place): &(CardId, Placement)| {
        Entry::new(*card, HistoryKind::Placed, FieldChanges::of_element(TEAM_PLACEMENT, None, Some(place)))
    };
    let entries: Vec<Entry> = placed.iter().map(entry).collect();
    let written = history::append(tx, call, project.record.id, &entries).await?;
    let heads: BTreeMap<CardId, HistoryHead> = placed.iter().map(|(card, _)| *card).zip(written).collect();
    let places = || placed.iter().map(|(_, place)| place);
    let inserted = Statement::new(include_str!("place.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Array<SqlUuid>, _>(placed.iter().map(|(card, _)| card.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(places().map(|place| place.status_id.0).collect::<Vec<_>>())
        .bind::<Array<Nullable<SqlUuid>>, _>(
            places().map(|place| place.sprint_id.map(|sprint| sprint.0)).collect::<Vec<_>>(),
        )
        .bind::<Array<Text>, _>(places().map(|place| place.rank.as_str().to_owned()).collect::<Vec<_>>())
        .bind::<Timestamptz, _>(call.now.0)
        .execute(tx)
        .await?;
    if inserted != placed.len() {
        return Err(Error::internal("a card was not placed"));
    }
    board_index::reindex_moved(tx, team, &heads).await
}

fn note(placement: &ImportedPlacement, reason: &str) -> ImportNote {
    let note = board_note("board", &placement.shown, reason);
    ImportNote { issue: Some(placement.card_key.clone()), ..note }
}

#[derive(QueryableByName)]
struct SeenCardRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
}
