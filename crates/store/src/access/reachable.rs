//! The projects that a caller reaches, out of many: for requests that touch cards which they do not name.

use std::collections::HashSet;

use auth::actor::Actor;
use database::prelude::*;
use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::Result;
use domain::id::{ProjectId, TeamId};
use domain::people::permission::Permission;
use domain::people::role::ProjectRole;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::ProjectAccessRow;
use crate::access::user::User;

/// Those of `projects` on which both the caller's role and its credential allow `permission`.
pub(crate) async fn among<P>(
    connection: &Connection,
    call: &Call<P>,
    projects: &[ProjectId],
    permission: Permission,
) -> Result<HashSet<ProjectId>> {
    if projects.is_empty() {
        return Ok(HashSet::new());
    }
    let ids: Vec<Uuid> = projects.iter().map(|project| project.0).collect();
    let statement = Statement::new(include_str!("reachable.sql")).bind::<Array<SqlUuid>, _>(ids);
    allowed(connection, statement, &call.actor, permission).await
}

/// The projects whose cards the caller reads and that have or had relations to cards of `projects`, or are or were above or
/// below them, in order.
pub(crate) async fn related<P>(
    connection: &Connection,
    call: &Call<P>,
    projects: &[ProjectId],
) -> Result<Vec<Uuid>> {
    let ids: Vec<Uuid> = projects.iter().map(|project| project.0).collect();
    let statement = Statement::new(include_str!("related.sql")).bind::<Array<SqlUuid>, _>(ids);
    Ok(in_order(allowed(connection, statement, &call.actor, Permission::CardRead).await?))
}

/// The projects whose cards the caller reads and to which a chain of such relations leads from a project, in order. A tree of
/// cards goes through no others.
pub(crate) async fn connected<P>(
    connection: &Connection,
    call: &Call<P>,
    project: ProjectId,
) -> Result<Vec<Uuid>> {
    let statement = Statement::new(include_str!("connected.sql")).bind::<SqlUuid, _>(project.0);
    Ok(in_order(allowed(connection, statement, &call.actor, Permission::CardRead).await?))
}

/// As [`related`], for the projects that are linked to a team.
pub(crate) async fn related_to_team<P>(
    connection: &Connection,
    call: &Call<P>,
    team: TeamId,
) -> Result<Vec<Uuid>> {
    let statement = Statement::new(include_str!("related_to_team.sql")).bind::<SqlUuid, _>(team.0);
    Ok(in_order(allowed(connection, statement, &call.actor, Permission::CardRead).await?))
}

fn in_order(projects: HashSet<ProjectId>) -> Vec<Uuid> {
    let mut ids: Vec<Uuid> = projects.into_iter().map(|project| project.0).collect();
    ids.sort_unstable();
    ids
}

/// The caller's own projects, as its list of projects has them, on which both its role and its credential allow
/// `permission`.
pub(crate) async fn own<P>(
    connection: &Connection,
    me: &User<P>,
    permission: Permission,
) -> Result<HashSet<ProjectId>> {
    let statement = Statement::new(include_str!("reachable_own.sql")).bind::<SqlUuid, _>(me.actor.user.0);
    allowed(connection, statement, &me.actor, permission).await
}

/// The allowed ones of a statement's projects. `statement` lacks the user.
async fn allowed(
    connection: &Connection,
    statement: Statement<'_>,
    actor: &Actor,
    permission: Permission,
) -> Result<HashSet<ProjectId>> {
    if !actor.ceiling.contains(permission) {
        return Ok(HashSet::new());
    }
    let rows: Vec<ReachableRow> = statement.bind::<SqlUuid, _>(actor.user.0).load(connection).await?;
    let mut reachable = HashSet::new();
    for ReachableRow { id, reach } in rows {
        let project = ProjectId(id);
        let role = reach.role(project, actor)?.map(ProjectRole::permissions).unwrap_or_default();
        if role.contains(permission) {
            reachable.insert(project);
        }
    }
    Ok(reachable)
}

#[derive(QueryableByName)]
struct ReachableRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(embed)]
    reach: ProjectAccessRow,
}
