//! Teams' boards: read as a whole, and cards placed on them.

pub mod get;
pub mod place;
pub mod remove;

use domain::id::{CardId, OrganizationId, TeamId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{BoardCardRef, TeamRef};

/// The path of an operation on one card of a board.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardCardPath {
    /// The organization.
    org_id: OrganizationId,
    /// The team.
    team_id: TeamId,
    /// The card, of a project that is linked to the team.
    card_id: CardId,
}

impl BoardCardPath {
    fn target(&self) -> BoardCardRef {
        let team = TeamRef { organization: self.org_id, team: self.team_id };
        BoardCardRef { team, card: self.card_id }
    }
}
