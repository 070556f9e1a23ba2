//! Linked projects of a team. Its board can hold their cards.

use std::collections::BTreeMap;

use auth::actor::{TeamRead, TeamWrite};
use database::prelude::*;
use database::schema::team_projects;
use domain::content::project::ProjectRecord;
use domain::event::change::ChangeData;
use domain::event::change::data::ProjectEventData;
use domain::id::{CardId, HistoryId, ProjectId, TeamId};
use domain::people::permission::Permission;
use domain::planning::team::LinkedProject;
use domain::time::Timestamp;
use domain::{Error, Result};
use time::OffsetDateTime;

use crate::access::call::Call;
use crate::access::linked_projects::{self, LinkedTeam};
use crate::access::status;
use crate::access::team_project::TeamProject;
use crate::resources::outbox::NewChangeEvent;
use crate::resources::planning::cards::clearing::{self, BoardPart};
use crate::resources::store::Tx;

/// The linked projects that the caller may read, unordered.
///
/// # Errors
/// `INTERNAL_ERROR` if a row is invalid.
pub fn list(at: &LinkedTeam<TeamRead>) -> Result<Vec<LinkedProject>> {
    at.projects_with(Permission::ProjectRead).map(linked_projects::LinkedProjectAccess::record).collect()
}

/// Links a project to a team. A linked project stays linked.
///
/// # Errors
/// `NOT_FOUND` if the project was deleted meanwhile.
pub async fn link(tx: &mut Tx, at: &TeamProject, call: &Call<TeamWrite>) -> Result<LinkedProject> {
    let (team, project) = (at.team.id(), &at.project.record);
    let added = diesel::insert_into(team_projects::table)
        .values((
            team_projects::team_id.eq(team.0),
            team_projects::project_id.eq(project.id.0),
            team_projects::linked_at.eq(call.now.0),
        ))
        .on_conflict_do_nothing()
        .execute(tx)
        .await?;
    if added == 1 {
        let change = ChangeData::ProjectLinked(event_data(team, project.id));
        tx.publish(NewChangeEvent::of_link(call, (team, project.id), change));
    }
    let since: OffsetDateTime =
        team_projects::table.find((team.0, project.id.0)).select(team_projects::linked_at).first(tx).await?;
    Ok(linked(project.clone(), Timestamp::from(since)))
}

/// Ends a project's link to a team, and removes its cards from the team's board; returns their new heads.
///
/// # Errors
/// `NOT_FOUND` if it is not linked.
pub async fn unlink(
    tx: &mut Tx,
    at: &TeamProject,
    call: &Call<TeamWrite>,
) -> Result<BTreeMap<CardId, HistoryId>> {
    let (team, project) = (at.team.id(), at.project.record.id);
    // Protects the team's sprints from changes, and its columns from changes of their cards.
    at.team.hold(tx).await?;
    status::hold_columns(tx, &at.team).await?;
    let ended = diesel::delete(team_projects::table.find((team.0, project.0))).execute(tx).await?;
    if ended == 0 {
        return Err(Error::not_found());
    }
    let cards = clearing::lock(tx, team, BoardPart::Project(project)).await?;
    let heads = clearing::remove_from_board(tx, call, team, &cards).await?;
    let change = ChangeData::ProjectUnlinked(event_data(team, project));
    tx.publish(NewChangeEvent::of_link(call, (team, project), change));
    Ok(heads)
}

fn event_data(team: TeamId, project_id: ProjectId) -> ProjectEventData {
    ProjectEventData { project_id, team_id: Some(team), fields: Vec::new() }
}

fn linked(project: ProjectRecord, linked_at: Timestamp) -> LinkedProject {
    let ProjectRecord { id, name, project_slug, visibility, .. } = project;
    LinkedProject { id, name, project_slug, visibility, linked_at }
}
