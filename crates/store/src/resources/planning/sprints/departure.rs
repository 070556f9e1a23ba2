//! Departure of a project's cards from sprints, when the project is deleted.

use database::prelude::*;
use database::schema::{cards, team_cards, team_projects};
use diesel::sql_types::{Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{ProjectId, TeamId};
use domain::time::Timestamp;
use uuid::Uuid;

use crate::resources::store::Tx;

/// Removes the project's cards from the sprints that are not completed, in a history that outlives the project, so that
/// reports still count them; returns the teams that the project is linked to. The caller then deletes the project; it has not locked it yet.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn record(tx: &mut Tx, project: ProjectId, now: Timestamp) -> Result<Vec<TeamId>> {
    // Without their link, no card is placed meanwhile. A sprint that is completed meanwhile waits for its cards.
    let links: Vec<Uuid> = team_projects::table
        .filter(team_projects::project_id.eq(project.0))
        .order(team_projects::team_id)
        .select(team_projects::team_id)
        .for_update()
        .load(tx)
        .await?;
    let placed = team_cards::table.select(team_cards::card_id);
    let _cards: Vec<Uuid> = cards::table
        .filter(cards::project_id.eq(project.0).and(cards::id.eq_any(placed)))
        .order(cards::id)
        .select(cards::id)
        .for_update()
        .load(tx)
        .await?;
    Statement::new(include_str!("departure/record.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Timestamptz, _>(now.0)
        .execute(tx)
        .await?;
    Ok(links.into_iter().map(TeamId).collect())
}
