//! Memberships of organizations, projects and teams. Only operators change them (docs/api.md, section 11).

use auth::role::{OrganizationRole, ProjectRole, TeamRole};
use diesel::sql_types::{Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{OrganizationId, ProjectId, TeamId, UserId};
use domain::time::Timestamp;

use crate::db::connection::Connection;
use crate::db::prelude::*;
use crate::db::schema::{organization_members, project_members, team_members};
use crate::resources::audit;
use crate::resources::identity::no_such_user;
use crate::resources::store::Store;

/// A resource with members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// An organization.
    Organization(OrganizationId),
    /// A project.
    Project(ProjectId),
    /// A team.
    Team(TeamId),
}

/// A membership with its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// In an organization.
    Organization(OrganizationId, OrganizationRole),
    /// In a project.
    Project(ProjectId, ProjectRole),
    /// In a team.
    Team(TeamId, TeamRole),
}

impl Store {
    /// Makes `user` a member, or gives the member another role.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if the user or the resource does not exist.
    pub async fn add_member(&self, user: UserId, membership: Membership, now: Timestamp) -> Result<()> {
        self.transaction(async |tx| {
            let (written, target) = match membership {
                Membership::Organization(id, role) => {
                    use organization_members::dsl;
                    let row = (
                        dsl::organization_id.eq(id.0),
                        dsl::user_id.eq(user.0),
                        dsl::role.eq(role.as_str()),
                        dsl::created_at.eq(now.0),
                    );
                    let insert = diesel::insert_into(dsl::organization_members).values(row);
                    let upsert = insert.on_conflict((dsl::organization_id, dsl::user_id)).do_update();
                    (upsert.set(dsl::role.eq(role.as_str())).execute(tx).await, id.0)
                }
                Membership::Project(id, role) => {
                    use project_members::dsl;
                    let row = (
                        dsl::project_id.eq(id.0),
                        dsl::user_id.eq(user.0),
                        dsl::role.eq(role.as_str()),
                        dsl::created_at.eq(now.0),
                    );
                    let insert = diesel::insert_into(dsl::project_members).values(row);
                    let upsert = insert.on_conflict((dsl::project_id, dsl::user_id)).do_update();
                    (upsert.set(dsl::role.eq(role.as_str())).execute(tx).await, id.0)
                }
                Membership::Team(id, role) => {
                    use team_members::dsl;
                    let row = (
                        dsl::team_id.eq(id.0),
                        dsl::user_id.eq(user.0),
                        dsl::role.eq(role.as_str()),
                        dsl::created_at.eq(now.0),
                    );
                    join_organization(tx, id, user, now).await?;
                    let insert = diesel::insert_into(dsl::team_members).values(row);
                    let upsert = insert.on_conflict((dsl::team_id, dsl::user_id)).do_update();
                    (upsert.set(dsl::role.eq(role.as_str())).execute(tx).await, id.0)
                }
            };
            written.map_err(no_such_user)?;
            audit::record_own(tx, now, "member.added", target).await
        })
        .await
    }

    /// Ends a membership; `false` if there was none.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn remove_member(&self, user: UserId, group: Group, now: Timestamp) -> Result<bool> {
        self.transaction(async |tx| {
            let (deleted, target) = match group {
                Group::Organization(id) => {
                    // A member who leaves the organization also leaves its teams, and must be added to them again.
                    Statement::new(include_str!("membership/leave_teams.sql"))
                        .bind::<SqlUuid, _>(id.0)
                        .bind::<SqlUuid, _>(user.0)
                        .execute(tx)
                        .await?;
                    let member = organization_members::table.find((id.0, user.0));
                    (diesel::delete(member).execute(tx).await, id.0)
                }
                Group::Project(id) => {
                    (diesel::delete(project_members::table.find((id.0, user.0))).execute(tx).await, id.0)
                }
                Group::Team(id) => {
                    (diesel::delete(team_members::table.find((id.0, user.0))).execute(tx).await, id.0)
                }
            };
            let deleted = deleted? == 1;
            if deleted {
                audit::record_own(tx, now, "member.removed", target).await?;
            }
            Ok(deleted)
        })
        .await
    }
}

/// Makes a member of a team a guest of the team's organization, unless it has a role there: only members see the team.
async fn join_organization(
    connection: &Connection,
    team: TeamId,
    user: UserId,
    now: Timestamp,
) -> Result<()> {
    Statement::new(include_str!("membership/join_organization.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<SqlUuid, _>(user.0)
        .bind::<Text, _>(OrganizationRole::Guest.as_str())
        .bind::<Timestamptz, _>(now.0)
        .execute(connection)
        .await
        .map(drop)
        .map_err(no_such_user)
}
