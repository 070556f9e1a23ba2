//! Members of organizations, projects and teams, as callers list and change them.

pub mod of_projects;
pub mod of_teams;

use auth::actor::{BrowserOnly, BrowserProjectManage, Requirement, TeamRead};
use database::decode;
use database::prelude::*;
use database::schema::{organization_members, users};
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{OrganizationId, SessionId, UserId};
use domain::people::api_key::MadeKey;
use domain::people::member::{MemberKind, OrganizationMember};
use domain::people::role::OrganizationRole;
use domain::search::fold;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Code, Error, Result, Rule};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::organization::{Organization, require_rank};
use crate::access::owner;
use crate::resources::audit;
use crate::resources::people::invitation_endings;
use crate::resources::people::membership::{self, Group};
use crate::resources::people::service_keys;
use crate::resources::store::Tx;

/// A page of members, in the order of their ids.
#[derive(Clone, Debug)]
pub struct MemberFilter<'a> {
    /// Only those whose name contains this text, both folded (`domain::search::fold`).
    pub folded_q: Option<&'a str>,
    /// Only those after this user.
    pub after: Option<UserId>,
    /// Most rows.
    pub rows: u32,
}

impl MemberFilter<'_> {
    /// Most rows that the statement reads. Names are compared here, so a search reads all of the members.
    fn most_rows(&self) -> Option<i64> {
        self.folded_q.is_none().then_some(i64::from(self.rows))
    }

    /// Those of the members in their order that have the searched name.
    fn select<T>(
        &self,
        members: impl Iterator<Item = Result<T>>,
        name: impl Fn(&T) -> &Name,
    ) -> Result<Vec<T>> {
        let is_wanted = |member: &T| self.folded_q.is_none_or(|q| fold(name(member).as_str()).contains(q));
        let most = usize::try_from(self.rows).unwrap_or(usize::MAX);
        members.filter(|member| member.as_ref().map_or(true, is_wanted)).take(most).collect()
    }
}

/// The members of an organization. Guests see themselves alone.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    organization: &Organization<TeamRead>,
    filter: &MemberFilter<'_>,
) -> Result<Vec<OrganizationMember>> {
    let only = (organization.role == OrganizationRole::Guest).then_some(organization.user);
    load(tx, organization, only, filter).await
}

/// One member of an organization. Guests see themselves alone.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn get<P: Requirement>(
    tx: &mut Tx,
    organization: &Organization<P>,
    user: UserId,
) -> Result<OrganizationMember> {
    if organization.role == OrganizationRole::Guest && user != organization.user {
        return Err(Error::not_found());
    }
    let one = MemberFilter { folded_q: None, after: None, rows: 1 };
    load(tx, organization, Some(user), &one).await?.into_iter().next().ok_or_else(Error::not_found)
}

/// Gives a member another role. Only owners make owners, and change their roles. `condition` is checked on the locked member.
///
/// # Errors
/// `NOT_FOUND`, `FORBIDDEN`, `LAST_OWNER`; `INVALID_REQUEST` for a service account as an owner; those of `condition`.
pub async fn set_role(
    tx: &mut Tx,
    organization: &Organization<BrowserProjectManage>,
    call: &Call<BrowserProjectManage>,
    user: UserId,
    role: OrganizationRole,
    condition: impl FnOnce(&OrganizationMember) -> Result<()>,
) -> Result<OrganizationMember> {
    let own_role = hold(tx, organization).await?;
    let member = get(tx, organization, user).await?;
    condition(&member)?;
    require_rank(own_role, member.role)?;
    require_rank(own_role, role)?;
    if member.kind == MemberKind::Service && role == OrganizationRole::Owner {
        return Err(Error::invalid("role", Rule::State, "can't be that of a service account"));
    }
    if role != OrganizationRole::Owner {
        require_another_owner(tx, organization.id, &member).await?;
    }
    diesel::update(organization_members::table.find((organization.id.0, user.0)))
        .set(organization_members::role.eq(role.as_str()))
        .execute(tx)
        .await?;
    if role < member.role {
        invitation_endings::withdraw(tx, organization.id, user).await?;
    }
    audit::record(tx, call, user.0).await?;
    Ok(OrganizationMember { role, ..member })
}

/// A member that was removed.
#[derive(Debug)]
pub struct Removal {
    /// The sessions that this closed.
    pub closed: Vec<SessionId>,
    /// The usable keys of the organization's service accounts that the member made.
    pub made_keys: Vec<MadeKey>,
}

/// Removes a member, or lets the caller leave. A service account ends with its membership, and its keys with it. Keys that
/// the member made for service accounts are revoked where `revokes_keys` says so.
///
/// # Errors
/// `NOT_FOUND`, `FORBIDDEN`, `LAST_OWNER`; those of `condition`.
pub async fn remove(
    tx: &mut Tx,
    organization: &Organization<BrowserOnly>,
    call: &Call<BrowserOnly>,
    user: UserId,
    revokes_keys: bool,
    condition: impl FnOnce(&OrganizationMember) -> Result<()>,
) -> Result<Removal> {
    let own_role = hold(tx, organization).await?;
    let member = get(tx, organization, user).await?;
    if user != organization.user {
        require_rank(own_role, OrganizationRole::Admin)?;
        require_rank(own_role, member.role)?;
    }
    condition(&member)?;
    require_another_owner(tx, organization.id, &member).await?;
    let group = Group::Organization(organization.id);
    let closed = membership::end(tx, user, group, Some(&call.actor), call.now).await?;
    let closed = closed.ok_or_else(Error::not_found)?;
    let made_keys = service_keys::made_by(tx, organization.id, user, call.now).await?;
    if revokes_keys {
        service_keys::revoke(tx, &made_keys, call.now).await?;
    }
    audit::record(tx, call, user.0).await?;
    // Who leaves manages nothing any more, and learns nothing of it.
    let sees_keys = own_role >= OrganizationRole::Admin;
    Ok(Removal { closed, made_keys: if sees_keys { made_keys } else { Vec::new() } })
}

/// Serialises changes of the organization's members until the transaction ends; returns the caller's role, which another
/// may have changed meanwhile.
///
/// # Errors
/// `NOT_FOUND` if the caller is no member any more.
pub(crate) async fn hold<P: Requirement>(
    tx: &mut Tx,
    organization: &Organization<P>,
) -> Result<OrganizationRole> {
    owner::hold(tx, organization.id.into()).await?;
    let role: Option<String> = organization_members::table
        .find((organization.id.0, organization.user.0))
        .select(organization_members::role)
        .first(tx)
        .await
        .optional()?;
    decode::parse(&role.ok_or_else(Error::not_found)?)
}

/// Refuses the end of the last owner's role. The caller holds the members.
async fn require_another_owner(
    tx: &mut Tx,
    organization: OrganizationId,
    member: &OrganizationMember,
) -> Result<()> {
    if member.role != OrganizationRole::Owner {
        return Ok(());
    }
    let others: i64 = organization_members::table
        .inner_join(users::table)
        .filter(organization_members::organization_id.eq(organization.0))
        .filter(organization_members::role.eq(OrganizationRole::Owner.as_str()))
        .filter(organization_members::user_id.ne(member.user_id.0).and(users::disabled_at.is_null()))
        .count()
        .get_result(tx)
        .await?;
    if others > 0 {
        return Ok(());
    }
    let message =
        "The organization needs an owner. Make another member an owner first, or delete the organization.";
    Err(Error::new(Code::LastOwner, message))
}

async fn load<P: Requirement>(
    tx: &mut Tx,
    organization: &Organization<P>,
    only: Option<UserId>,
    filter: &MemberFilter<'_>,
) -> Result<Vec<OrganizationMember>> {
    let rows: Vec<OrganizationMemberRow> = Statement::new(include_str!("members/organization.sql"))
        .bind::<SqlUuid, _>(organization.id.0)
        .bind::<Nullable<SqlUuid>, _>(only.map(|user| user.0))
        .bind::<Nullable<SqlUuid>, _>(filter.after.map(|user| user.0))
        .bind::<Nullable<BigInt>, _>(filter.most_rows())
        .load(tx)
        .await?;
    let is_for_admin = organization.role >= OrganizationRole::Admin;
    filter.select(rows.into_iter().map(|row| row.member(is_for_admin)), |member| &member.name)
}

#[derive(QueryableByName)]
struct OrganizationMemberRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = Text)]
    role: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Bool)]
    is_service: bool,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    created_by: Option<Uuid>,
}

impl OrganizationMemberRow {
    fn member(self, is_for_admin: bool) -> Result<OrganizationMember> {
        let kind = kind(self.is_service);
        Ok(OrganizationMember {
            user_id: UserId(self.id),
            name: decode::name(&self.display_name)?,
            kind,
            role: decode::parse(&self.role)?,
            email: (is_for_admin && kind == MemberKind::Person).then_some(self.email),
            joined_at: Timestamp::from(self.created_at),
            created_by: self.created_by.filter(|_| is_for_admin).map(UserId),
        })
    }
}

fn kind(is_service: bool) -> MemberKind {
    if is_service { MemberKind::Service } else { MemberKind::Person }
}
