//! Access to a card on a team's board: needs the right to work on the board and on the card.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use auth::actor::{CardWrite, TeamWrite};
use database::prelude::*;
use database::schema::{cards, sprints, team_projects};
use domain::content::project::ProjectRef;
use domain::id::{CardId, ProjectId, SprintId, StatusId, TeamId};
use domain::planning::board::Placement;
use domain::planning::sprint::SprintStatus;
use domain::planning::status::StatusRecord;
use domain::{Code, Error, Result, Rule};
use futures_util::future::join;
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::card::{self, Card};
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

/// Cards as a request on a team's board names them.
#[derive(Clone, Debug)]
pub struct BoardCardsRef {
    /// The team.
    pub team: TeamRef,
    /// The cards, each once, in the order of the request's list `placements`.
    pub cards: Vec<CardId>,
}

/// A team's board. Until the transaction ends, nothing else moves on it, and none of the team's sprints starts or ends.
#[derive(Debug)]
pub struct HeldBoard {
    /// The team.
    pub team: Team<TeamWrite>,
    /// The team's columns, from left to right.
    pub(crate) columns: Vec<StatusRecord>,
    /// The team's sprints that are not completed.
    pub(crate) sprints: HashSet<SprintId>,
}

/// A card that the caller may move on a team's board, which is held. Until the transaction ends, the card does not change.
#[derive(Debug)]
pub struct BoardCard {
    /// The board.
    pub board: Arc<HeldBoard>,
    /// The card.
    pub card: Card<CardWrite>,
    /// The card's place on the board, if it is there.
    pub(crate) placement: Option<Placement>,
    /// The call with the permission on the card.
    pub(crate) call: Call<CardWrite>,
}

/// Cards of several projects that the caller may move on a team's board, which is held.
#[derive(Debug)]
pub struct BoardCards {
    /// The board.
    pub board: Arc<HeldBoard>,
    /// The cards, locked until the transaction ends.
    pub(crate) cards: HashMap<CardId, Card<CardWrite>>,
    /// The call with the permission on the cards.
    pub(crate) call: Call<CardWrite>,
}

impl HeldBoard {
    /// Holds a team's board.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`.
    pub(crate) async fn hold(
        connection: &Connection,
        at: &TeamRef,
        call: &Call<TeamWrite>,
    ) -> Result<Arc<Self>> {
        Self::of(connection, at.resolve(connection, call).await?).await
    }

    /// Holds the board of a team.
    async fn of(connection: &Connection, team: Team<TeamWrite>) -> Result<Arc<Self>> {
        let (sprints, columns) =
            join(hold_sprints(connection, &team), status::hold_columns(connection, &team)).await;
        Ok(Arc::new(Self { columns: columns?, sprints: sprints?, team }))
    }

    /// One of the team's columns.
    pub(crate) fn column(&self, id: StatusId) -> Option<&StatusRecord> {
        self.columns.iter().find(|column| column.id == id)
    }

    /// True if the project is linked to the team. The link is locked.
    pub(crate) async fn hold_link(&self, connection: &Connection, project: ProjectId) -> Result<bool> {
        let linked: Option<Uuid> = team_projects::table
            .find((self.team.id().0, project.0))
            .select(team_projects::project_id)
            .for_key_share()
            .first(connection)
            .await
            .optional()?;
        Ok(linked.is_some())
    }
}

impl BoardCard {
    /// A locked card of a linked project on a held board, at its present place.
    pub(crate) async fn on(
        board: &Arc<HeldBoard>,
        card: Card<CardWrite>,
        call: &Call<CardWrite>,
        connection: &Connection,
    ) -> Result<Self> {
        let placed = placement::list(connection, &[card.id()]).await?;
        Ok(Self::at_one_of(placed, board, card, call.also::<CardWrite>()?))
    }

    /// The card at one of its places, which were read while the board was held.
    fn at_one_of(
        placed: Vec<(CardId, Placement)>,
        board: &Arc<HeldBoard>,
        card: Card<CardWrite>,
        call: Call<CardWrite>,
    ) -> Self {
        let team = board.team.id();
        let placement = placed.into_iter().map(|(_, place)| place).find(|place| place.team_id == team);
        Self { board: Arc::clone(board), card, placement, call }
    }
}

impl Target<TeamWrite> for BoardCardRef {
    type Witness = BoardCard;

    async fn resolve(&self, connection: &Connection, call: &Call<TeamWrite>) -> Result<BoardCard> {
        let call_on_card = call.also::<CardWrite>()?;
        let team = self.team.resolve(connection, call).await?;
        // Statements that travel together are locks in this order.
        let id = team.id();
        let (board, project) =
            join(HeldBoard::of(connection, team), project_of(connection, id, self.card)).await;
        let (board, project) = (board?, ProjectRef { project: project?, branch: None });
        let project = project.resolve(connection, &call_on_card).await?;
        // The places are those of the locked card.
        let (locked, placed) = join(
            card::lock(connection, &project, vec![self.card.0]),
            placement::list(connection, &[self.card]),
        )
        .await;
        let state = locked?.pop().ok_or_else(Error::not_found)?;
        Ok(BoardCard::at_one_of(placed?, &board, Card { state, project }, call_on_card))
    }
}

impl Target<TeamWrite> for BoardCardsRef {
    type Witness = BoardCards;

    /// Cards that don't exist, are hidden, or are of projects that are not linked are a broken rule of the body.
    async fn resolve(&self, connection: &Connection, call: &Call<TeamWrite>) -> Result<BoardCards> {
        let call_on_cards = call.also::<CardWrite>()?;
        let board = HeldBoard::hold(connection, &self.team, call).await?;
        let named = self.cards.iter().map(|card| card.0).collect::<Vec<_>>();
        let of_cards = cards::table.filter(cards::id.eq_any(&named)).select(cards::project_id);
        let linked: Vec<Uuid> = team_projects::table
            .filter(team_projects::team_id.eq(board.team.id().0))
            .filter(team_projects::project_id.eq_any(of_cards))
            .order(team_projects::project_id)
            .select(team_projects::project_id)
            .for_key_share()
            .load(connection)
            .await?;
        // All at once, so that locks follow the order of ids across projects.
        let _locked: Vec<Uuid> = cards::table
            .filter(cards::id.eq_any(&named).and(cards::project_id.eq_any(&linked)))
            .order(cards::id)
            .select(cards::id)
            .for_update()
            .load(connection)
            .await?;
        let mut cards = HashMap::new();
        for project in linked {
            let project = ProjectRef { project: ProjectId(project), branch: None };
            let project = match project.resolve(connection, &call_on_cards).await {
                Err(error) if error.code == Code::NotFound => continue,
                project => project?,
            };
            for state in card::lock(connection, &project, named.clone()).await? {
                cards.insert(state.card.id, Card { state, project: project.clone() });
            }
        }
        let missing = self.cards.iter().enumerate().filter(|(_, card)| !cards.contains_key(card));
        let missing = missing.map(|(at, _)| Error::broken(format!("placements[{at}].cardId"), Rule::Exists));
        Error::all(missing.map(Err::<(), _>))?;
        Ok(BoardCards { board, cards, call: call_on_cards })
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
async fn project_of(connection: &Connection, team: TeamId, card: CardId) -> Result<ProjectId> {
    let of_card = cards::table.find(card.0).select(cards::project_id);
    let linked: Option<Uuid> = team_projects::table
        .filter(team_projects::team_id.eq(team.0).and(team_projects::project_id.eq_any(of_card)))
        .select(team_projects::project_id)
        .for_key_share()
        .first(connection)
        .await
        .optional()?;
    linked.map(ProjectId).ok_or_else(Error::not_found)
}
