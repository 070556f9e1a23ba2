//! Members of a team, who are members of its organization.

use auth::actor::{BrowserOnly, BrowserTeamManage, TeamRead};
use database::decode;
use database::prelude::*;
use database::schema::{organization_members, service_accounts, team_members, users};
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Uuid as SqlUuid};
use domain::id::UserId;
use domain::people::member::TeamMember;
use domain::people::permission::Permission;
use domain::people::role::TeamRole;
use domain::{Error, Result};
use uuid::Uuid;

use super::MemberFilter;
use crate::access::call::Call;
use crate::access::owner;
use crate::access::team::Team;
use crate::resources::audit;
use crate::resources::people::membership::{self, Group};
use crate::resources::store::Tx;

/// The members of a team.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, team: &Team<TeamRead>, filter: &MemberFilter<'_>) -> Result<Vec<TeamMember>> {
    let rows: Vec<TeamMemberRow> = Statement::new(include_str!("team.sql"))
        .bind::<SqlUuid, _>(team.id().0)
        .bind::<Nullable<SqlUuid>, _>(filter.after.map(|user| user.0))
        .bind::<Nullable<BigInt>, _>(filter.most_rows())
        .load(tx)
        .await?;
    filter.select(rows.into_iter().map(TeamMemberRow::member), |member| &member.name)
}

/// Makes a member of the organization a member of the team, or gives the team's member another role.
///
/// # Errors
/// `NOT_FOUND` if the user is no member of the organization.
pub async fn set(
    tx: &mut Tx,
    team: &Team<BrowserTeamManage>,
    call: &Call<BrowserTeamManage>,
    user: UserId,
    role: TeamRole,
) -> Result<TeamMember> {
    let organization = team.record.organization_id;
    // A member who is being removed from the organization does not come back so.
    owner::hold(tx, organization.into()).await?;
    let found: Option<String> = organization_members::table
        .inner_join(users::table)
        .filter(organization_members::organization_id.eq(organization.0))
        .filter(organization_members::user_id.eq(user.0).and(users::disabled_at.is_null()))
        .select(users::display_name)
        .first(tx)
        .await
        .optional()?;
    let name = decode::name(&found.ok_or_else(Error::not_found)?)?;
    let service: Option<Uuid> =
        service_accounts::table.find(user.0).select(service_accounts::user_id).first(tx).await.optional()?;
    let row = (
        team_members::team_id.eq(team.id().0),
        team_members::user_id.eq(user.0),
        team_members::role.eq(role.as_str()),
        team_members::created_at.eq(call.now.0),
    );
    diesel::insert_into(team_members::table)
        .values(row)
        .on_conflict((team_members::team_id, team_members::user_id))
        .do_update()
        .set(team_members::role.eq(role.as_str()))
        .execute(tx)
        .await?;
    membership::publish(tx, call.into(), Group::Team(team.id()));
    audit::record(tx, call, user.0).await?;
    Ok(TeamMember { user_id: user, name, kind: super::kind(service.is_some()), role })
}

/// Ends a membership of the team, the caller's own or that of another.
///
/// # Errors
/// `FORBIDDEN` if another's membership is not the caller's to end; `NOT_FOUND` without a membership.
pub async fn remove(
    tx: &mut Tx,
    team: &Team<BrowserOnly>,
    call: &Call<BrowserOnly>,
    user: UserId,
) -> Result<()> {
    if user != team.user && !team.permissions.contains(Permission::TeamManage) {
        return Err(Error::forbidden());
    }
    let ended = membership::end(tx, user, Group::Team(team.id()), Some(&call.actor), call.now).await?;
    audit::record(tx, call, user.0).await?;
    ended.map(drop).ok_or_else(Error::not_found)
}

#[derive(QueryableByName)]
struct TeamMemberRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Text)]
    role: String,
    #[diesel(sql_type = Bool)]
    is_service: bool,
}

impl TeamMemberRow {
    fn member(self) -> Result<TeamMember> {
        Ok(TeamMember {
            user_id: UserId(self.id),
            name: decode::name(&self.display_name)?,
            kind: super::kind(self.is_service),
            role: decode::parse(&self.role)?,
        })
    }
}
