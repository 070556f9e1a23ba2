//! The projects that are linked to a team, each with what the caller may do on it.

use auth::actor::Needs;
use auth::permission::{Permission, Permissions};
use auth::role::ProjectRole;
use diesel::QueryableByName;
use diesel::sql_types::{Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::Result;
use domain::id::ProjectId;
use domain::text::Name;
use domain::time::Timestamp;
use time::OffsetDateTime;

use crate::access::project::Reach;
use crate::access::team::Team;
use crate::call::Call;
use crate::decode;
use crate::failure::failure;
use crate::statement::Statement;
use crate::transaction::Tx;

/// A project that is linked to a team and that the caller sees. Most who ask for it want no more than its id, so the rest
/// is as the database has it.
#[derive(Debug)]
pub(crate) struct LinkedProject {
    /// Id.
    pub(crate) id: ProjectId,
    /// Everything that the caller may do on it with this credential.
    pub(crate) permissions: Permissions,
    columns: Columns,
}

impl LinkedProject {
    /// Its name.
    pub(crate) fn name(&self) -> Result<Name> {
        decode::name(&self.columns.name)
    }

    /// How a team lists it.
    pub(crate) fn record(self) -> Result<domain::team::LinkedProject> {
        Ok(domain::team::LinkedProject {
            id: self.id,
            name: self.name()?,
            project_slug: decode::slug(&self.columns.slug)?,
            visibility: decode::text(&self.columns.visibility)?,
            linked_at: Timestamp::from(self.columns.linked_at),
        })
    }
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
    for Row { reach, columns } in rows {
        let role = reach.role(&call.actor)?.map(ProjectRole::permissions).unwrap_or_default();
        let permissions = role.intersection(call.actor.ceiling);
        if permissions.contains(permission) {
            found.push(LinkedProject { id: ProjectId(reach.project), permissions, columns });
        }
    }
    Ok(found)
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(embed)]
    reach: Reach,
    #[diesel(embed)]
    columns: Columns,
}

#[derive(Debug, QueryableByName)]
struct Columns {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Text)]
    visibility: String,
    #[diesel(sql_type = Timestamptz)]
    linked_at: OffsetDateTime,
}
