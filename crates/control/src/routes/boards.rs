//! Boards of teams, and the placement of cards on them.

pub mod get;
pub mod place;
pub mod place_all;
pub mod remove;

use domain::id::{CardId, OrganizationId, TeamId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{BoardCardRef, TeamRef};
use wire::{Endpoint, Resource, delete, get, put};

use crate::app::App;

/// The endpoints of boards.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/orgs/{orgId}/teams/{teamId}").with([
        get("/board", "getBoard", "Read a team's board", get::handle).tool("teams").everyday(),
        put("/cards/{cardId}", "placeCard", "Place or move a card on a team's board", place::handle)
            .conditional()
            .tool("teams")
            .everyday(),
        put("/cards", "placeCards", "Place or move several cards on a team's board", place_all::handle)
            .tool("teams"),
        delete("/cards/{cardId}", "removeCard", "Remove a card from a team's board", remove::handle)
            .conditional()
            .tool("teams"),
    ])
}

/// The path of an operation on one card of a board.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardCardPath {
    /// The organization.
    org_id: OrganizationId,
    /// The team.
    team_id: TeamId,
    /// The card. Its project is linked to the team.
    card_id: CardId,
}

impl BoardCardPath {
    fn target(&self) -> BoardCardRef {
        let team = TeamRef { organization: self.org_id, team: self.team_id };
        BoardCardRef { team, card: self.card_id }
    }
}
