//! Boards in an import. Teams, columns and sprints are those of the export, with its ids.

use serde::{Deserialize, Serialize};

use crate::id::{SprintId, StatusId, TeamId};
use crate::position::Position;

/// Most boards of an import.
pub const IMPORT_MAX_BOARDS: usize = 1_000;
/// Most sprints of an import.
pub const IMPORT_MAX_SPRINTS: usize = 10_000;

/// A card's place on a board, by the ids in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedPlacement {
    /// The card's id.
    pub card: String,
    /// The card's key.
    pub card_key: String,
    /// The board's team.
    pub team: TeamId,
    /// The column.
    pub column: StatusId,
    /// The sprint.
    pub sprint: Option<SprintId>,
    /// Position in the column. Without one the card stands at the end.
    pub rank: Option<Position>,
    /// The place in words: the names of team, column and sprint.
    pub shown: String,
}
