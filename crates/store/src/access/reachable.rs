//! Of many projects, those with whose cards a caller may do something: where a request touches cards that it does not
//! name.

use std::collections::HashSet;

use auth::permission::Permission;
use auth::role::ProjectRole;
use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::Result;
use domain::id::ProjectId;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Reach;
use crate::db::prelude::*;

/// Of `projects`, those on which the caller may do `permission`: its role, cut with what the credential may do at most
/// and is confined to.
pub(crate) async fn among<P>(
    connection: &Connection,
    call: &Call<P>,
    projects: &[ProjectId],
    permission: Permission,
) -> Result<HashSet<ProjectId>> {
    if projects.is_empty() || !call.actor.ceiling.contains(permission) {
        return Ok(HashSet::new());
    }
    let rows: Vec<Row> = Statement::new(include_str!("reachable.sql"))
        .bind::<Array<SqlUuid>, _>(projects.iter().map(|project| project.0).collect::<Vec<_>>())
        .bind::<SqlUuid, _>(call.actor.user.0)
        .load(connection)
        .await?;
    let mut reachable = HashSet::new();
    for Row { id, reach } in rows {
        let project = ProjectId(id);
        let role = reach.role(project, &call.actor)?.map(ProjectRole::permissions).unwrap_or_default();
        if role.contains(permission) {
            reachable.insert(project);
        }
    }
    Ok(reachable)
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(embed)]
    reach: Reach,
}
