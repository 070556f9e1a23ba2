//! A reader's sight of a board: the keys under which answers are kept (docs/design/boards.md).

use auth::actor::TeamRead;
use database::prelude::*;
use diesel::sql_types::BigInt;
use domain::id::ProjectId;
use domain::key::ProjectKey;
use domain::people::permission::Permission;
use domain::text::Name;
use domain::{Error, Result};
use serde::Serialize;

use crate::access::linked_projects::LinkedTeam;
use crate::access::linked_projects::board::LastChange;
use crate::resources::planning::boards::BoardFilter;
use crate::resources::store::Store;

/// A reader's sight of a board, as texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardSight {
    /// Differs where two answers may differ, but for the boards of other teams.
    pub answer: String,
    /// The filter, and the projects whose cards the reader may see. All readers with the same reach may see the same
    /// cards.
    pub reach: String,
}

impl BoardSight {
    /// The sight of a caller with a filter, at the last change.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it can't be written.
    pub fn new(at: &LinkedTeam<TeamRead>, filter: &BoardFilter, last_change: LastChange) -> Result<Self> {
        let readable = at.projects_with(Permission::CardRead);
        let mut projects: Vec<(ProjectId, Name, Option<ProjectKey>)> = readable
            .map(|project| Ok((project.id, project.name()?, project.key()?)))
            .collect::<Result<_>>()?;
        projects.sort_unstable_by_key(|(id, ..)| *id);
        let ids: Vec<ProjectId> = projects.iter().map(|(id, ..)| *id).collect();
        let BoardFilter { sprints, projects: of_projects, assignees } = filter;
        let filter = (sprints, of_projects, assignees);
        // Cards of these block cards on the board.
        let related = at.related_projects();
        let team = at.team.id();
        Ok(Self {
            answer: text(&(team, last_change, &projects, related, filter))?,
            reach: text(&(team, &ids, filter))?,
        })
    }
}

impl Store {
    /// True if all changes up to this one are committed. Then a board that is read afterwards has all of them.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn is_settled(&self, change: LastChange) -> Result<bool> {
        let connection = self.connection().await?;
        let statement = Statement::new("select change_event_horizon() as horizon");
        let row: HorizonRow = statement.get_result(&connection).await?;
        Ok(change.sequence <= row.horizon)
    }
}

fn text(key: &impl Serialize) -> Result<String> {
    serde_json::to_string(key).map_err(Error::internal)
}

#[derive(QueryableByName)]
struct HorizonRow {
    #[diesel(sql_type = BigInt)]
    horizon: i64,
}
