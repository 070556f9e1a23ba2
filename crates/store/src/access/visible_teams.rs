//! The teams that a caller sees, out of many: for answers about teams that the request does not name.
//!
//! A deleted team is seen by the users who could see it, as far as they still belong to its organization.

use std::collections::HashSet;

use database::prelude::*;
use diesel::sql_types::{Array, Bool, Uuid as SqlUuid};
use domain::Result;
use domain::id::{ProjectId, TeamId};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::team::TeamReach;

/// Those of `teams` that the caller sees. The credential's permissions play no part: they decide what is forbidden, not
/// what is hidden.
pub(crate) async fn among<P>(
    connection: &Connection,
    call: &Call<P>,
    teams: impl IntoIterator<Item = TeamId>,
) -> Result<HashSet<TeamId>> {
    let teams: HashSet<Uuid> = teams.into_iter().map(|team| team.0).collect();
    if teams.is_empty() {
        return Ok(HashSet::new());
    }
    let statement = Statement::new(include_str!("visible_teams.sql"))
        .bind::<Array<SqlUuid>, _>(teams.into_iter().collect::<Vec<_>>());
    seen(connection, call, statement).await
}

/// All teams that the caller sees; with `as_member` only those that its user is a member of.
pub(crate) async fn own<P>(
    connection: &Connection,
    call: &Call<P>,
    as_member: bool,
) -> Result<HashSet<TeamId>> {
    let statement = Statement::new(include_str!("visible_teams_own.sql")).bind::<Bool, _>(as_member);
    seen(connection, call, statement).await
}

/// The teams that the caller sees, among those whose boards a project's cards are or were on.
pub(crate) async fn of_history<P>(
    connection: &Connection,
    call: &Call<P>,
    project: ProjectId,
) -> Result<HashSet<TeamId>> {
    let statement = Statement::new(include_str!("visible_teams_of_history.sql"));
    seen(connection, call, statement.bind::<SqlUuid, _>(project.0)).await
}

/// The visible ones of a statement's teams. `statement` lacks the user.
async fn seen<P>(
    connection: &Connection,
    call: &Call<P>,
    statement: Statement<'_>,
) -> Result<HashSet<TeamId>> {
    let rows: Vec<NamedTeamRow> = statement.bind::<SqlUuid, _>(call.actor.user.0).load(connection).await?;
    let mut visible = HashSet::new();
    for row in rows {
        if row.reach.allowed(&call.actor)?.is_some() {
            visible.insert(TeamId(row.id));
        }
    }
    Ok(visible)
}

#[derive(QueryableByName)]
struct NamedTeamRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(embed)]
    reach: TeamReach,
}
