//! Access to a team, for its members, the admins of its organization, and, if it is internal, all members of that.

use std::marker::PhantomData;

use auth::actor::{Actor, Requirement, TeamWrite};
use database::decode;
use database::prelude::*;
use database::schema::teams;
use diesel::sql_types::{Array, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{OrganizationId, TeamId, UserId};
use domain::people::permission::{Permission, Permissions};
use domain::people::role::{OrganizationRole, TeamRole};
use domain::planning::team::{TeamRecord, TeamVisibility};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::{Parent, Target, decide};

const FIND: &str = include_str!("team.sql");
const FIND_AND_KEEP: &str = include_str!("team_kept.sql");
const FIND_AND_LOCK: &str = include_str!("team_locked.sql");

/// A team as a request names it: within its organization.
#[derive(Clone, Copy, Debug)]
pub struct TeamRef {
    /// The organization.
    pub organization: OrganizationId,
    /// The team.
    pub team: TeamId,
}

/// A team with which the caller may do `P`. If `P` is more than reading, the team can't be deleted until the
/// transaction ends. If `P` is managing, nothing else can change the team or its board.
#[derive(Debug)]
pub struct Team<P> {
    /// The team's record.
    pub record: TeamRecord,
    /// The acting user.
    pub user: UserId,
    /// Everything that the caller may do with the team with this credential.
    pub permissions: Permissions,
    needs: PhantomData<fn() -> P>,
}

impl<P> Team<P> {
    /// The team's id.
    pub fn id(&self) -> TeamId {
        self.record.id
    }
}

impl Team<TeamWrite> {
    /// Locks the set of the team's columns and sprints until the transaction ends: no other request adds, moves,
    /// changes or deletes one.
    pub(crate) async fn hold(&self, connection: &Connection) -> Result<()> {
        let held: Option<Uuid> = teams::table
            .find(self.record.id.0)
            .select(teams::id)
            .for_no_key_update()
            .first(connection)
            .await
            .optional()?;
        held.map(drop).ok_or_else(|| Error::internal("a team that is kept is gone"))
    }
}

impl<P: Requirement> Target<P> for TeamRef {
    type Witness = Team<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Team<P>> {
        let locking = match P::PERMISSION {
            Some(Permission::TeamManage) => Some((FIND_AND_LOCK, Permission::TeamManage)),
            Some(Permission::TeamWrite) => Some((FIND_AND_KEEP, Permission::TeamWrite)),
            _ => None,
        };
        let Some((statement, permission)) = locking else {
            return self.find(connection, call, self.statement(FIND, call)).await;
        };
        // The statement decides before it locks: nobody waits for, or blocks, a team on which the call is not permitted.
        let roles = if call.actor.reaches_organization(self.organization) {
            AllowedRoles::of(permission)
        } else {
            AllowedRoles::default()
        };
        let statement = self
            .statement(statement, call)
            .bind::<Array<Text>, _>(roles.in_team)
            .bind::<Array<Text>, _>(roles.in_organization)
            .bind::<Array<Text>, _>(roles.if_internal);
        match self.find(connection, call, statement).await {
            Err(error) if error.code == Code::NotFound => {
                let unlocked: Result<Team<P>> = self.find(connection, call, self.statement(FIND, call)).await;
                // A role that was given meanwhile counts for the next request.
                Err(unlocked.err().unwrap_or(error))
            }
            found => found,
        }
    }
}

impl TeamRef {
    /// A statement with the first parameters of `team.sql`.
    fn statement<P>(&self, sql: &'static str, call: &Call<P>) -> Statement<'static> {
        Statement::new(sql)
            .bind::<SqlUuid, _>(self.team.0)
            .bind::<SqlUuid, _>(self.organization.0)
            .bind::<SqlUuid, _>(call.actor.user.0)
    }

    async fn find<P: Requirement>(
        &self,
        connection: &Connection,
        call: &Call<P>,
        statement: Statement<'_>,
    ) -> Result<Team<P>> {
        let rows: Vec<TeamAccessRow> = statement.load(connection).await?;
        rows.into_iter().next().ok_or_else(Error::not_found)?.decide(call)
    }
}

/// The names of the roles that allow something on a team.
#[derive(Default)]
struct AllowedRoles {
    in_team: Vec<&'static str>,
    in_organization: Vec<&'static str>,
    /// Roles in the organization, if the team is internal.
    if_internal: Vec<&'static str>,
}

impl AllowedRoles {
    fn of(permission: Permission) -> Self {
        let in_team = TeamRole::ALL.iter().filter(|role| role.permissions().contains(permission));
        let in_organization = |internal| {
            let roles = OrganizationRole::ALL.iter().filter(move |role| {
                role.on_team(internal).is_some_and(|allowed| allowed.contains(permission))
            });
            roles.map(|role| role.as_str()).collect()
        };
        Self {
            in_team: in_team.map(|role| role.as_str()).collect(),
            in_organization: in_organization(false),
            if_internal: in_organization(true),
        }
    }
}

impl<P: Requirement> Parent<P> for TeamRef {
    fn id(&self, _: &Call<P>) -> Result<Uuid> {
        Ok(self.team.0)
    }
}

/// A team's own columns, as `team.sql` selects them.
#[derive(QueryableByName)]
pub(crate) struct TeamRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Text)]
    visibility: String,
    #[diesel(sql_type = Text)]
    time_zone: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    updated_at: OffsetDateTime,
}

impl TeamRow {
    pub(crate) fn record(self) -> Result<TeamRecord> {
        Ok(TeamRecord {
            id: TeamId(self.id),
            name: decode::name(&self.name)?,
            description: decode::bounded(self.description)?,
            status: decode::name(&self.status)?,
            created_at: Timestamp::from(self.created_at),
            updated_at: Timestamp::from(self.updated_at),
            organization_id: OrganizationId(self.organization_id),
            visibility: decode::text(&self.visibility)?,
            time_zone: decode::text(&self.time_zone)?,
        })
    }
}

/// A team's columns with those that decide access, as `team.sql` and `board.sql` select them.
#[derive(QueryableByName)]
pub(crate) struct TeamAccessRow {
    #[diesel(embed)]
    team: TeamRow,
    #[diesel(embed)]
    reach: TeamReach,
}

impl TeamAccessRow {
    /// The witness, if the caller may do `P` with the team.
    pub(crate) fn decide<P: Requirement>(self, call: &Call<P>) -> Result<Team<P>> {
        let permissions = decide(call, self.reach.allowed(&call.actor)?)?;
        Ok(Team { record: self.team.record()?, user: call.actor.user, permissions, needs: PhantomData })
    }
}

/// The columns that decide access to a team: its own, and the caller's roles that lead to it.
#[derive(QueryableByName)]
pub(crate) struct TeamReach {
    #[diesel(sql_type = SqlUuid)]
    organization_id: Uuid,
    #[diesel(sql_type = Text)]
    visibility: String,
    #[diesel(sql_type = Nullable<Text>)]
    team_role: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    organization_role: Option<String>,
}

impl TeamReach {
    /// Permissions of all of the caller's roles together; `None` if it does not see the team.
    pub(crate) fn allowed(&self, actor: &Actor) -> Result<Option<Permissions>> {
        if !actor.reaches_organization(OrganizationId(self.organization_id)) {
            return Ok(None);
        }
        let internal = decode::text::<TeamVisibility>(&self.visibility)? == TeamVisibility::Internal;
        let as_member = self.team_role.as_deref().map(decode::parse::<TeamRole>).transpose()?;
        let in_organization =
            self.organization_role.as_deref().map(decode::parse::<OrganizationRole>).transpose()?;
        // A user who has left the organization has left its teams.
        let Some(in_organization) = in_organization else { return Ok(None) };
        let ways = [as_member.map(TeamRole::permissions), in_organization.on_team(internal)];
        Ok(ways.into_iter().flatten().reduce(Permissions::union))
    }
}
