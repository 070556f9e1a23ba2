//! Access to a session, through its project.

use auth::actor::{ActingSession, Actor, Requirement};
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::project::{BranchName, ProjectRef};
use domain::id::{OrganizationId, SessionId, UserId};
use domain::people::permission::{Permissions, Scope};
use domain::time::Timestamp;
use domain::work::session::SessionRecord;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::{FoundProject, Project};
use crate::access::rows::session::SessionSettingsRow;
use crate::access::{Parent, Target};

/// A session as a request names it: within its project.
#[derive(Clone, Debug)]
pub struct SessionRef {
    /// The project.
    pub project: ProjectRef,
    /// The session.
    pub session: SessionId,
}

/// A session of a project on which the caller may do `P`; it may be closed.
#[derive(Debug)]
pub struct Session<P> {
    /// The session's record.
    pub record: SessionRecord,
    /// The session's project, at the branch that the request names, or the default branch.
    pub project: Project<P>,
    opened_with: OpenedWith,
}

/// Authority of the credential that opened a session, at the time of the call.
#[derive(Debug)]
struct OpenedWith {
    /// The credential's ceiling; empty if it was revoked or has expired.
    ceiling: Permissions,
    /// The organizations that the credential is confined to, if it is.
    organizations: Option<Vec<Uuid>>,
}

impl<P: Requirement> Session<P> {
    /// The witness of a session that the caller has just opened.
    pub(crate) fn opened_by(call: &Call<P>, record: SessionRecord, project: Project<P>) -> Self {
        let Actor { ceiling, confinement, .. } = &call.actor;
        let organizations = confinement
            .as_ref()
            .map(|to| to.organizations.iter().map(|organization| organization.0).collect());
        Self { record, project, opened_with: OpenedWith { ceiling: *ceiling, organizations } }
    }

    /// The actor of tool calls in this session: the caller, limited to the authority of the credential that opened the
    /// session, to the session's project, and to the teams of the project's organization.
    pub fn acting(&self, call: &Call<P>) -> Actor {
        let OpenedWith { ceiling, organizations } = &self.opened_with;
        let is_reached = |id: &OrganizationId| organizations.as_ref().is_none_or(|ids| ids.contains(&id.0));
        let acting_in = ActingSession {
            session: self.record.id,
            project: self.record.project,
            organization: self.project.organization.filter(is_reached),
        };
        let ceiling = call.actor.ceiling.intersection(*ceiling);
        Actor { ceiling, acting_in: Some(Box::new(acting_in)), ..call.actor.clone() }
    }
}

impl<P: Requirement> Target<P> for SessionRef {
    type Witness = Session<P>;

    // One statement: callers outside of a transaction rely on it.
    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Session<P>> {
        let rows: Vec<SessionAccessRow> = Statement::new(include_str!("session.sql"))
            .bind::<SqlUuid, _>(self.project.project.0)
            .bind::<SqlUuid, _>(call.actor.user.0)
            .bind::<Nullable<Text>, _>(self.project.branch.as_ref().map(BranchName::as_str))
            .bind::<SqlUuid, _>(self.session.0)
            .bind::<Timestamptz, _>(call.now.0)
            .load(connection)
            .await?;
        let SessionAccessRow { project, session } = rows.into_iter().next().ok_or_else(Error::not_found)?;
        // The project comes first: a caller who does not see it learns nothing about its sessions.
        let project = project.decide(call)?;
        let opened_with = session.opened_with()?;
        let record = session.record(self.session, &project)?;
        // A request that names a branch names the session's.
        if self.project.branch.as_ref().is_some_and(|branch| *branch != record.branch) {
            return Err(Error::not_found());
        }
        Ok(Session { record, project, opened_with })
    }
}

impl<P: Requirement> Parent<P> for SessionRef {
    fn id(&self, _: &Call<P>) -> Result<Uuid> {
        Ok(self.session.0)
    }
}

#[derive(QueryableByName)]
struct SessionAccessRow {
    #[diesel(embed)]
    project: FoundProject,
    #[diesel(embed)]
    session: FoundSession,
}

/// A session's columns, all null if the project has no such session, with those of the key that opened it, if the key
/// is still valid.
#[derive(QueryableByName)]
struct FoundSession {
    #[diesel(sql_type = Nullable<Text>)]
    session_branch: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    session_created_by: Option<Uuid>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    session_created_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    session_closed_at: Option<OffsetDateTime>,
    #[diesel(embed)]
    settings: SessionSettingsRow,
    #[diesel(sql_type = Bool)]
    has_key: bool,
    #[diesel(sql_type = Nullable<Array<Text>>)]
    key_scopes: Option<Vec<String>>,
    #[diesel(sql_type = Bool)]
    is_key_confined: bool,
    #[diesel(sql_type = Nullable<Array<SqlUuid>>)]
    key_organization_ids: Option<Vec<Uuid>>,
}

impl FoundSession {
    fn record<P>(self, id: SessionId, project: &Project<P>) -> Result<SessionRecord> {
        let (Some(branch), Some(created_by), Some(created_at)) =
            (self.session_branch, self.session_created_by, self.session_created_at)
        else {
            return Err(Error::not_found());
        };
        Ok(SessionRecord {
            id,
            project: project.record.id,
            branch: decode::parse(&branch)?,
            created_by: UserId(created_by),
            created_at: Timestamp::from(created_at),
            closed_at: self.session_closed_at.map(Timestamp::from),
            settings: self.settings.settings()?,
        })
    }

    fn opened_with(&self) -> Result<OpenedWith> {
        let ceiling = match &self.key_scopes {
            // Opened from a browser, whose credential can't be revoked.
            None if !self.has_key => Permissions::all(),
            None => Permissions::default(),
            Some(scopes) => {
                let scopes: Result<Vec<Scope>> = scopes.iter().map(|scope| decode::parse(scope)).collect();
                Permissions::of_scopes(&scopes?)
            }
        };
        let organizations =
            self.is_key_confined.then(|| self.key_organization_ids.clone().unwrap_or_default());
        Ok(OpenedWith { ceiling, organizations })
    }
}
