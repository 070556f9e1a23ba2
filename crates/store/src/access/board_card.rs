//! Access to a card on a team's board: needs the right to work on the board and on the card.

use std::collections::HashSet;

use auth::actor::{CardWrite, TeamWrite};
use database::prelude::*;
use database::schema::{cards, sprints, team_projects};
use domain::board::Placement;
use domain::id::{CardId, ProjectId, SprintId, StatusId};
use domain::project::ProjectRef;
use domain::sprint::SprintStatus;
use domain::status::StatusRecord;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::card::{Card, CardRef};
use crate::access::rows::placement;
use crate::access::status;
use crate::access::team::{Team, TeamRef};

/// A card as a request on a team's board names it. The card's project is linked to the team.
#[derive(Clone, Copy, Debug)]
pub struct BoardCardRef {
    /// The team.
    pub team: TeamRef,
    /// The card.
    pub card: CardId,
}

/// A card that the caller may move on a team's board. Until the transaction ends, nothing else moves on the board, none
/// of the team's sprints starts or ends, and the card does not change.
#[derive(Debug)]
pub struct BoardCard {
    /// The team.
    pub team: Team<TeamWrite>,
    /// The card.
    pub card: Card<CardWrite>,
    /// The team's columns, from left to right.
    pub(crate) columns: Vec<StatusRecord>,
    /// The team's sprints that are not completed.
    pub(crate) sprints: HashSet<SprintId>,
    /// The card's place on the board, if it is there.
    pub(crate) placement: Option<Placement>,
    /// The call with the permission on the card.
    pub(crate) call: Call<CardWrite>,
}

impl BoardCard {
    /// One of the team's columns.
    pub(crate) fn column(&self, id: StatusId) -> Option<&StatusRecord> {
        self.columns.iter().find(|column| column.id == id)
    }
}

impl Target<TeamWrite> for BoardCardRef {
    type Witness = BoardCard;

    async fn resolve(&self, connection: &Connection, call: &Call<TeamWrite>) -> Result<BoardCard> {
        let call_on_card = call.also::<CardWrite>()?;
        let team = self.team.resolve(connection, call).await?;
        let sprints = hold_sprints(connection, &team).await?;
        let columns = status::hold_columns(connection, &team).await?;
        let project = project_of(connection, &team, self.card).await?;
        let project = ProjectRef { project, branch: None };
        let card = CardRef { project, card: self.card }.resolve(connection, &call_on_card).await?;
        let placed = placement::list(connection, &[self.card]).await?;
        let placement = placed.into_iter().map(|(_, place)| place).find(|place| place.team_id == team.id());
        Ok(BoardCard { team, card, columns, sprints, placement, call: call_on_card })
    }
}

/// Locks the team's sprints against start and end; returns those that are not completed.
async fn hold_sprints(connection: &Connection, team: &Team<TeamWrite>) -> Result<HashSet<SprintId>> {
    let held: Vec<Uuid> = sprints::table
        .filter(sprints::team_id.eq(team.id().0).and(sprints::status.ne(SprintStatus::Completed.as_str())))
        .order(sprints::id)
        .select(sprints::id)
        .for_share()
        .load(connection)
        .await?;
    Ok(held.into_iter().map(SprintId).collect())
}

/// The card's project. Its link to the team is locked.
async fn project_of(connection: &Connection, team: &Team<TeamWrite>, card: CardId) -> Result<ProjectId> {
    let of_card = cards::table.find(card.0).select(cards::project_id);
    let linked: Option<Uuid> = team_projects::table
        .filter(team_projects::team_id.eq(team.id().0).and(team_projects::project_id.eq_any(of_card)))
        .select(team_projects::project_id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    linked.map(ProjectId).ok_or_else(Error::not_found)
}
