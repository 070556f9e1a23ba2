//! The revision of a board, which tells that what was read of it is still true (docs/design/boards.md).

use auth::actor::TeamRead;
use database::prelude::*;
use diesel::sql_types::{Nullable, Text, Uuid as SqlUuid};
use domain::id::{ProjectId, TeamId};
use domain::key::ProjectKey;
use domain::people::permission::Permission;
use domain::text::Name;
use domain::{Error, Result};
use futures_util::future::join;
use serde::Serialize;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::linked_projects::{LinkedTeam, LinkedTeamRef};
use crate::access::team::TeamRef;
use crate::resources::planning::boards::BoardFilter;
use crate::resources::store::Store;

/// The revision of a team's board. It differs from all earlier ones if anything has changed that the board shows to
/// anybody, so it is no answer: a reader would learn of changes that are hidden from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoardRevision(String);

impl Store {
    /// A team with the revision of its board, in one round trip; `None` while changes are being committed whose order is
    /// open.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`, `UNAVAILABLE`.
    pub async fn find_board(
        &self,
        call: &Call<TeamRead>,
        team: TeamRef,
    ) -> Result<(LinkedTeam<TeamRead>, Option<BoardRevision>)> {
        let connection = self.connection().await?;
        // In this order: what is read after the revision is at least as new.
        let (revision, found) =
            join(revision(&connection, team.team), LinkedTeamRef(team).resolve(&connection, call)).await;
        Ok((found?, revision?))
    }
}

/// The text that stands for what a caller sees of a board at `revision`, but for the boards of other teams.
///
/// # Errors
/// `INTERNAL_ERROR` if it can't be written.
pub fn sight(at: &LinkedTeam<TeamRead>, filter: &BoardFilter, revision: &BoardRevision) -> Result<String> {
    let readable = at.projects_with(Permission::CardRead);
    let mut projects: Vec<(ProjectId, Name, Option<ProjectKey>)> =
        readable.map(|project| Ok((project.id, project.name()?, project.key()?))).collect::<Result<_>>()?;
    projects.sort_unstable_by_key(|(id, ..)| *id);
    let BoardFilter { sprints, projects: of_projects, assignees } = filter;
    // Cards of these block cards on the board.
    let related = at.related_projects();
    let sight = (at.team.id(), revision, projects, related, sprints, of_projects, assignees);
    serde_json::to_string(&sight).map_err(Error::internal)
}

async fn revision(connection: &Connection, team: TeamId) -> Result<Option<BoardRevision>> {
    let rows: Vec<RevisionRow> = Statement::new("select board_revision($1) as revision")
        .bind::<SqlUuid, _>(team.0)
        .load(connection)
        .await?;
    Ok(rows.into_iter().next().and_then(|row| row.revision).map(BoardRevision))
}

#[derive(QueryableByName)]
struct RevisionRow {
    #[diesel(sql_type = Nullable<Text>)]
    revision: Option<String>,
}
