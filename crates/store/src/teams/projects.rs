//! The projects that are linked to a team: those whose cards its board can hold.

use auth::actor::{TeamRead, TeamWrite};
use auth::permission::Permission;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::Result;
use domain::project::ProjectRecord;
use domain::team::LinkedProject;
use domain::time::Timestamp;
use time::OffsetDateTime;

use crate::access::linked_projects;
use crate::access::team::Team;
use crate::access::team_project::TeamProject;
use crate::call::Call;
use crate::failure::failure;
use crate::schema::team_projects;
use crate::transaction::Tx;

/// The linked projects that the caller may read, by name.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, team: &Team<TeamRead>, call: &Call<TeamRead>) -> Result<Vec<LinkedProject>> {
    let found = linked_projects::find(tx, team, call, Permission::ProjectRead).await?;
    Ok(found.into_iter().map(|project| linked(project.record, project.linked_at)).collect())
}

/// Links a project to a team, unless it is already.
///
/// # Errors
/// `NOT_FOUND` where the project was deleted meanwhile.
pub async fn link(tx: &mut Tx, at: &TeamProject, call: &Call<TeamWrite>) -> Result<LinkedProject> {
    let (team, project) = (at.team.id(), &at.project.record);
    diesel::insert_into(team_projects::table)
        .values((
            team_projects::team_id.eq(team.0),
            team_projects::project_id.eq(project.id.0),
            team_projects::linked_at.eq(call.now.0),
        ))
        .on_conflict_do_nothing()
        .execute(tx.connection()?)
        .await
        .map_err(failure)?;
    let since: OffsetDateTime = team_projects::table
        .find((team.0, project.id.0))
        .select(team_projects::linked_at)
        .first(tx.connection()?)
        .await
        .map_err(failure)?;
    Ok(linked(project.clone(), Timestamp::from(since)))
}

fn linked(project: ProjectRecord, linked_at: Timestamp) -> LinkedProject {
    let ProjectRecord { id, name, project_slug, visibility, .. } = project;
    LinkedProject { id, name, project_slug, visibility, linked_at }
}
