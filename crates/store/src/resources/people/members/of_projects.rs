//! Members of a project: everybody who can be assigned to its cards.

use auth::actor::{BrowserOnly, BrowserProjectManage, CardRead, Requirement};
use database::decode;
use database::prelude::*;
use database::schema::project_members;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Uuid as SqlUuid};
use domain::id::{SessionId, UserId};
use domain::people::member::ProjectMember;
use domain::people::permission::Permission;
use domain::people::role::ProjectRole;
use domain::{Error, Result};
use uuid::Uuid;

use super::MemberFilter;
use crate::access::call::Call;
use crate::access::owner;
use crate::access::project::Project;
use crate::resources::audit;
use crate::resources::people::membership::{self, Group};
use crate::resources::store::Tx;

/// The users with a role on a project. A reader of a public project who has no role on it sees nobody.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<CardRead>,
    filter: &MemberFilter<'_>,
) -> Result<Vec<ProjectMember>> {
    let rows: Vec<ProjectMemberRow> = Statement::new(include_str!("project.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<SqlUuid, _>(project.user.0)
        .bind::<Nullable<SqlUuid>, _>(filter.after.map(|user| user.0))
        .bind::<Nullable<BigInt>, _>(filter.most_rows())
        .load(tx)
        .await?;
    filter.select(rows.into_iter().map(ProjectMemberRow::member), |member| &member.name)
}

/// Makes a user a member, or gives the member another role.
///
/// # Errors
/// `NOT_FOUND` if the caller knows no such user.
pub async fn set(
    tx: &mut Tx,
    project: &Project<BrowserProjectManage>,
    call: &Call<BrowserProjectManage>,
    user: UserId,
    role: ProjectRole,
) -> Result<ProjectMember> {
    // A member who is being removed from the organization does not come back so.
    owner::hold(tx, project.record.owner_id).await?;
    let known = find_known(tx, project, user).await?;
    let row = (
        project_members::project_id.eq(project.record.id.0),
        project_members::user_id.eq(user.0),
        project_members::role.eq(role.as_str()),
        project_members::created_at.eq(call.now.0),
    );
    diesel::insert_into(project_members::table)
        .values(row)
        .on_conflict((project_members::project_id, project_members::user_id))
        .do_update()
        .set(project_members::role.eq(role.as_str()))
        .execute(tx)
        .await?;
    membership::publish(tx, call.into(), Group::Project(project.record.id));
    audit::record(tx, call, user.0).await?;
    Ok(ProjectMember {
        user_id: user,
        name: decode::name(&known.display_name)?,
        handle: decode::slug(&known.handle)?,
        kind: super::kind(known.is_service),
        role,
        is_direct: true,
    })
}

/// Ends a membership of the project, the caller's own or that of another; returns the sessions that this closed.
///
/// # Errors
/// `FORBIDDEN` if another's membership is not the caller's to end; `NOT_FOUND` without a membership.
pub async fn remove(
    tx: &mut Tx,
    project: &Project<BrowserOnly>,
    call: &Call<BrowserOnly>,
    user: UserId,
) -> Result<Vec<SessionId>> {
    if user != project.user && !project.permissions.contains(Permission::ProjectManage) {
        return Err(Error::forbidden());
    }
    let group = Group::Project(project.record.id);
    let closed = membership::end(tx, user, group, Some(&call.actor), call.now).await?;
    audit::record(tx, call, user.0).await?;
    closed.ok_or_else(Error::not_found)
}

/// A user whom the caller may name, because both are in one organization.
async fn find_known<P: Requirement>(tx: &mut Tx, project: &Project<P>, user: UserId) -> Result<KnownRow> {
    let found: Vec<KnownRow> = Statement::new(include_str!("known.sql"))
        .bind::<SqlUuid, _>(user.0)
        .bind::<SqlUuid, _>(project.user.0)
        .bind::<SqlUuid, _>(project.record.owner_id.0)
        .load(tx)
        .await?;
    found.into_iter().next().ok_or_else(Error::not_found)
}

#[derive(QueryableByName)]
struct KnownRow {
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Text)]
    handle: String,
    #[diesel(sql_type = Bool)]
    is_service: bool,
}

#[derive(QueryableByName)]
struct ProjectMemberRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Text)]
    handle: String,
    #[diesel(sql_type = Text)]
    role: String,
    #[diesel(sql_type = Bool)]
    is_direct: bool,
    #[diesel(sql_type = Bool)]
    is_service: bool,
}

impl ProjectMemberRow {
    fn member(self) -> Result<ProjectMember> {
        Ok(ProjectMember {
            user_id: UserId(self.id),
            name: decode::name(&self.display_name)?,
            handle: decode::slug(&self.handle)?,
            kind: super::kind(self.is_service),
            role: decode::parse(&self.role)?,
            is_direct: self.is_direct,
        })
    }
}
