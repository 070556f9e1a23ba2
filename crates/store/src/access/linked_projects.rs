//! The projects that are linked to a team, each with what the caller may do on it.

use auth::actor::Needs;
use auth::permission::{Permission, Permissions};
use auth::role::ProjectRole;
use diesel::QueryableByName;
use diesel::sql_types::{Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::Result;
use domain::project::ProjectRecord;
use domain::time::Timestamp;
use time::OffsetDateTime;

use crate::access::project::Reach;
use crate::access::team::Team;
use crate::call::Call;
use crate::failure::failure;
use crate::statement::Statement;
use crate::transaction::Tx;

/// A project that is linked to a team and that the caller sees.
#[derive(Debug)]
pub(crate) struct LinkedProject {
    /// Its record.
    pub(crate) record: ProjectRecord,
    /// Everything that the caller may do on it with this credential.
    pub(crate) permissions: Permissions,
    /// Since when it is linked.
    pub(crate) linked_at: Timestamp,
}

/// The projects linked to a team on which the caller may do `permission`, by name: its role, cut with what the credential
/// may do at most and is confined to.
pub(crate) async fn find<P: Needs>(
    tx: &mut Tx,
    team: &Team<P>,
    call: &Call<P>,
    permission: Permission,
) -> Result<Vec<LinkedProject>> {
    if !call.actor.ceiling.contains(permission) {
        return Ok(Vec::new());
    }
    let rows: Vec<Row> = Statement::new(include_str!("linked_projects.sql"))
        .bind::<SqlUuid, _>(team.id().0)
        .bind::<SqlUuid, _>(call.actor.user.0)
        .load(tx.connection()?)
        .await
        .map_err(failure)?;
    let mut found = Vec::new();
    for Row { reach, linked_at } in rows {
        let role = reach.role(&call.actor)?.map(ProjectRole::permissions).unwrap_or_default();
        let permissions = role.intersection(call.actor.ceiling);
        if permissions.contains(permission) {
            let record = reach.project.record()?;
            found.push(LinkedProject { record, permissions, linked_at: Timestamp::from(linked_at) });
        }
    }
    Ok(found)
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(embed)]
    reach: Reach,
    #[diesel(sql_type = Timestamptz)]
    linked_at: OffsetDateTime,
}
