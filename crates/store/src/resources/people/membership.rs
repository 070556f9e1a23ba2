//! Memberships of organizations, projects and teams: what operators change, and what the end of one takes along.
//!
//! Not here: what callers may change of them (`members`).

use auth::actor::Actor;
use database::connection::Connection;
use database::error::SqlResult;
use database::prelude::*;
use database::schema::{organization_members, project_members, team_members, teams};
use diesel::sql_types::{Text, Timestamptz, Uuid as SqlUuid};
use domain::event::change::ChangeData;
use domain::event::change::data::MembersEventData;
use domain::id::{OrganizationId, ProjectId, SessionId, TeamId, UserId};
use domain::people::role::{OrganizationRole, ProjectRole, TeamRole};
use domain::time::Timestamp;
use domain::{Code, Result};
use uuid::Uuid;

use crate::access::owner;
use crate::resources::audit;
use crate::resources::outbox::{ChangeOrigin, NewChangeEvent};
use crate::resources::people::identity::no_such_user;
use crate::resources::people::invitation_endings;
use crate::resources::store::{Store, Tx};
use crate::resources::work::sessions;

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
                    join(tx, id, user).await?;
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
                    let organization = teams::table.find(id.0).select(teams::organization_id).first(tx).await;
                    if let Some(organization) = organization.optional()? {
                        join(tx, OrganizationId(organization), user).await?;
                    }
                    join_organization(tx, id, user, now).await?;
                    let insert = diesel::insert_into(dsl::team_members).values(row);
                    let upsert = insert.on_conflict((dsl::team_id, dsl::user_id)).do_update();
                    (upsert.set(dsl::role.eq(role.as_str())).execute(tx).await, id.0)
                }
            };
            written.map_err(no_such_user)?;
            publish(tx, ChangeOrigin::of(None, now), membership.group());
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
            let ended = end(tx, user, group, None, now).await?;
            if ended.is_some() {
                audit::record_own(tx, now, "member.removed", group.id()).await?;
            }
            Ok(ended.is_some())
        })
        .await
    }
}

impl Membership {
    fn group(self) -> Group {
        match self {
            Self::Organization(id, _) => Group::Organization(id),
            Self::Project(id, _) => Group::Project(id),
            Self::Team(id, _) => Group::Team(id),
        }
    }
}

impl Group {
    fn id(self) -> Uuid {
        match self {
            Self::Organization(id) => id.0,
            Self::Project(id) => id.0,
            Self::Team(id) => id.0,
        }
    }
}

/// Ends a membership with the access that it gave; `None` if there was none. Returns the sessions that it closed: those of
/// the user on projects that it can no longer change. Assignments to cards stay, as history does. `actor` is `None` for an
/// operator.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn end(
    tx: &mut Tx,
    user: UserId,
    group: Group,
    actor: Option<&Actor>,
    now: Timestamp,
) -> Result<Option<Vec<SessionId>>> {
    let deleted = match group {
        Group::Organization(id) => {
            hold_existing(tx, id).await?;
            // A member who leaves the organization also leaves its teams and projects, and must be added to them again.
            let leave = async |tx: &mut Tx, sql: &'static str| {
                let left = Statement::new(sql).bind::<SqlUuid, _>(id.0).bind::<SqlUuid, _>(user.0);
                let left: SqlResult<Vec<LeftGroupRow>> = left.load(tx).await;
                left
            };
            let teams = leave(tx, include_str!("membership/leave_teams.sql")).await?;
            let projects = leave(tx, include_str!("membership/leave_projects.sql")).await?;
            let teams = teams.into_iter().map(|row| Group::Team(TeamId(row.id)));
            let projects = projects.into_iter().map(|row| Group::Project(ProjectId(row.id)));
            teams.chain(projects).for_each(|left| publish(tx, ChangeOrigin::of(actor, now), left));
            invitation_endings::end_with_membership(tx, id, user, now).await?;
            // A service account is nothing without its organization.
            Statement::new(include_str!("membership/retire.sql"))
                .bind::<SqlUuid, _>(id.0)
                .bind::<SqlUuid, _>(user.0)
                .bind::<Timestamptz, _>(now.0)
                .execute(tx)
                .await?;
            diesel::delete(organization_members::table.find((id.0, user.0))).execute(tx).await?
        }
        Group::Project(id) => diesel::delete(project_members::table.find((id.0, user.0))).execute(tx).await?,
        Group::Team(id) => diesel::delete(team_members::table.find((id.0, user.0))).execute(tx).await?,
    };
    if deleted == 0 {
        return Ok(None);
    }
    publish(tx, ChangeOrigin::of(actor, now), group);
    let lost: Vec<LostSessionRow> = Statement::new(include_str!("membership/lost_sessions.sql"))
        .bind::<SqlUuid, _>(user.0)
        .load(tx)
        .await?;
    sessions::close_each(tx, lost.into_iter().map(|row| row.id), actor, now).await.map(Some)
}

/// Publishes a change of a team's or project's members. Organizations have no stream.
pub(crate) fn publish(tx: &mut Tx, origin: ChangeOrigin, group: Group) {
    match group {
        Group::Organization(_) => {}
        Group::Team(id) => {
            let data = MembersEventData { team_id: Some(id), project_id: None };
            tx.publish(NewChangeEvent::of_team(origin, id, ChangeData::MembersChanged(data)));
        }
        Group::Project(id) => {
            let data = MembersEventData { team_id: None, project_id: Some(id) };
            tx.publish(NewChangeEvent::of_project(origin, id, ChangeData::MembersChanged(data)));
        }
    }
}

/// Publishes a user's new name to the teams that it may be in, and to those on whose boards it is.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn publish_renamed(tx: &mut Tx, user: UserId, origin: ChangeOrigin) -> Result<()> {
    let teams = Statement::new(include_str!("membership/teams_with.sql")).bind::<SqlUuid, _>(user.0);
    let teams: Vec<LeftGroupRow> = teams.load(tx).await?;
    for team in teams {
        publish(tx, origin, Group::Team(TeamId(team.id)));
    }
    Ok(())
}

/// Prepares a user's first or further role in an organization, for an operator: other ways to join end.
async fn join(tx: &mut Tx, organization: OrganizationId, user: UserId) -> Result<()> {
    hold_existing(tx, organization).await?;
    invitation_endings::end_addressed(tx, organization, user).await
}

/// Serialises changes of an organization's members and invitations. An absent one has none.
async fn hold_existing(tx: &mut Tx, organization: OrganizationId) -> Result<()> {
    match owner::hold(tx, organization.into()).await {
        Err(error) if error.code == Code::NotFound => Ok(()),
        held => held,
    }
}

/// A team or project that a member left.
#[derive(QueryableByName)]
struct LeftGroupRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[derive(QueryableByName)]
struct LostSessionRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
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
