//! Relocation of a sprint's cards: to the backlog, or to another sprint.

use std::collections::{BTreeMap, BTreeSet};

use auth::actor::{CardWrite, Requirement, TeamWrite};
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, Nullable, Text, Uuid as SqlUuid};
use domain::id::{CardId, ProjectId, SprintId, StatusId, TeamId};
use domain::people::permission::Permission;
use domain::planning::board::Placement;
use domain::planning::history::{FieldChanges, HistoryKind, TEAM_PLACEMENT};
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::reachable;
use crate::access::sprint::Sprint;
use crate::resources::planning::cards::boards;
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::store::Tx;

/// The destination of cards that leave a sprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// No sprint.
    Backlog,
    /// This sprint, which is not completed.
    Sprint(SprintId),
}

/// A card of a sprint, locked until the transaction ends.
#[derive(Clone, Debug)]
pub(crate) struct SprintCard {
    pub(crate) id: CardId,
    project: ProjectId,
    placement: Placement,
}

/// Locks the cards of a sprint, in the order of their ids. The caller has locked the sprint: no card comes or goes meanwhile.
pub(crate) async fn lock_cards(tx: &mut Tx, sprint: &Sprint<TeamWrite>) -> Result<Vec<SprintCard>> {
    let rows: Vec<SprintCardRow> = Statement::new(include_str!("relocation/lock.sql"))
        .bind::<SqlUuid, _>(sprint.id().0)
        .load(tx)
        .await?;
    rows.into_iter().map(|row| row.read(sprint)).collect()
}

/// Moves locked cards to another sprint or the backlog, each with a history row; returns their number.
///
/// # Errors
/// `INSUFFICIENT_SCOPE`, `FORBIDDEN` if the caller may not write one of them.
pub(crate) async fn move_cards<P: Requirement>(
    tx: &mut Tx,
    call: &Call<P>,
    cards: Vec<SprintCard>,
    to: Destination,
) -> Result<usize> {
    let projects: BTreeSet<ProjectId> = cards.iter().map(|card| card.project).collect();
    let projects: Vec<ProjectId> = projects.into_iter().collect();
    if projects.is_empty() {
        return Ok(0);
    }
    call.also::<CardWrite>()?;
    let writable = reachable::among(tx, call, &projects, Permission::CardWrite).await?;
    if writable.len() != projects.len() {
        return Err(Error::forbidden());
    }
    let sprint = match to {
        Destination::Backlog => None,
        Destination::Sprint(sprint) => Some(sprint),
    };
    let mut heads = BTreeMap::new();
    for project in projects {
        let of_project: Vec<&SprintCard> = cards.iter().filter(|card| card.project == project).collect();
        let entries: Vec<Entry> = of_project.iter().map(|card| card.moved_to(sprint)).collect();
        let written = history::append(tx, call, project, &entries).await?;
        heads.extend(of_project.iter().map(|card| card.id).zip(written));
    }
    if let Some(first) = cards.as_slice().first() {
        let team = first.placement.team_id;
        write(tx, team, &cards, sprint).await?;
        boards::reindex_moved(tx, team, &heads).await?;
    }
    Ok(cards.len())
}

/// Writes the sprint of cards.
async fn write(tx: &mut Tx, team: TeamId, cards: &[SprintCard], sprint: Option<SprintId>) -> Result<()> {
    let written = Statement::new(include_str!("relocation/move.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Nullable<SqlUuid>, _>(sprint.map(|sprint| sprint.0))
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|card| card.id.0).collect::<Vec<_>>())
        .execute(tx)
        .await?;
    if written == cards.len() { Ok(()) } else { Err(Error::internal("the place of a locked card is gone")) }
}

impl SprintCard {
    fn moved_to(&self, sprint: Option<SprintId>) -> Entry {
        let after = Placement { sprint_id: sprint, ..self.placement.clone() };
        let changes = FieldChanges::of_element(TEAM_PLACEMENT, Some(&self.placement), Some(&after));
        Entry::new(self.id, HistoryKind::Moved, changes)
    }
}

#[derive(QueryableByName)]
struct SprintCardRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    status_id: Uuid,
    #[diesel(sql_type = Text)]
    transition_state: String,
    #[diesel(sql_type = Text)]
    rank: String,
}

impl SprintCardRow {
    fn read(self, sprint: &Sprint<TeamWrite>) -> Result<SprintCard> {
        let placement = Placement {
            team_id: sprint.team.id(),
            status_id: StatusId(self.status_id),
            transition_state: decode::text(&self.transition_state)?,
            sprint_id: Some(sprint.id()),
            rank: decode::parse(&self.rank)?,
        };
        Ok(SprintCard { id: CardId(self.id), project: ProjectId(self.project_id), placement })
    }
}
