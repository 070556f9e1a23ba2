//! The projects that a caller reaches, out of many: for requests that touch cards which they do not name.

use std::collections::HashSet;

use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::Result;
use domain::id::ProjectId;
use domain::permission::Permission;
use domain::role::ProjectRole;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::ProjectAccessRow;
use crate::db::prelude::*;

/// Those of `projects` on which both the caller's role and its credential allow `permission`.
pub(crate) async fn among<P>(
    connection: &Connection,
    call: &Call<P>,
    projects: &[ProjectId],
    permission: Permission,
) -> Result<HashSet<ProjectId>> {
    if projects.is_empty() || !call.actor.ceiling.contains(permission) {
        return Ok(HashSet::new());
    }
    let rows: Vec<ReachableRow> = Statement::new(include_str!("reachable.sql"))
        .bind::<Array<SqlUuid>, _>(projects.iter().map(|project| project.0).collect::<Vec<_>>())
        .bind::<SqlUuid, _>(call.actor.user.0)
        .load(connection)
        .await?;
    let mut reachable = HashSet::new();
    for ReachableRow { id, reach } in rows {
        let project = ProjectId(id);
        let role = reach.role(project, &call.actor)?.map(ProjectRole::permissions).unwrap_or_default();
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
