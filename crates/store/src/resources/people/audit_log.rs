//! Reading the audit log of a project or an organization, newest entries first.

use auth::actor::ProjectManage;
use database::prelude::*;
use database::schema::audit_log;
use domain::id::{ApiKeyId, OrganizationId, ProjectId, UserId};
use domain::people::audit::AuditEntry;
use domain::time::Timestamp;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::organization::Organization;
use crate::access::project::Project;
use crate::resources::store::Tx;

/// The entries of a request for the log.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Only of this user.
    pub actor: Option<UserId>,
    /// Only of this operation.
    pub operation: Option<String>,
    /// Only with this result: `OK`, or a code.
    pub result: Option<String>,
    /// Only at or after this time.
    pub from: Option<Timestamp>,
    /// Only at or before this time.
    pub to: Option<Timestamp>,
    /// Only before this position.
    pub before: Option<i64>,
    /// Most entries.
    pub rows: u32,
}

/// The entries of a project.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_project(
    tx: &mut Tx,
    project: &Project<ProjectManage>,
    filter: &AuditFilter,
) -> Result<Vec<AuditEntry>> {
    let query = audit_log::table.filter(audit_log::project_id.eq(project.record.id.0)).into_boxed();
    load(tx, query, filter).await
}

/// The entries of an organization, its teams and its projects.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_organization(
    tx: &mut Tx,
    organization: &Organization<ProjectManage>,
    filter: &AuditFilter,
) -> Result<Vec<AuditEntry>> {
    let query = audit_log::table.filter(audit_log::organization_id.eq(organization.id.0)).into_boxed();
    load(tx, query, filter).await
}

async fn load(
    tx: &mut Tx,
    mut query: audit_log::BoxedQuery<'_, diesel::pg::Pg>,
    filter: &AuditFilter,
) -> Result<Vec<AuditEntry>> {
    let AuditFilter { actor, operation, result, from, to, before, rows } = filter;
    if let Some(actor) = actor {
        query = query.filter(audit_log::actor_user_id.eq(actor.0));
    }
    if let Some(operation) = operation {
        query = query.filter(audit_log::action.eq(operation.clone()));
    }
    if let Some(result) = result {
        query = query.filter(audit_log::result.eq(result.clone()));
    }
    if let Some(from) = from {
        query = query.filter(audit_log::occurred_at.ge(from.0));
    }
    if let Some(to) = to {
        query = query.filter(audit_log::occurred_at.le(to.0));
    }
    if let Some(before) = before {
        query = query.filter(audit_log::sequence.lt(*before));
    }
    let rows: Vec<AuditEntryRow> = query
        .order(audit_log::sequence.desc())
        .limit(i64::from(*rows))
        .select(AuditEntryRow::as_select())
        .load(tx)
        .await?;
    rows.into_iter().map(AuditEntryRow::entry).collect()
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = audit_log)]
struct AuditEntryRow {
    sequence: i64,
    occurred_at: OffsetDateTime,
    actor_user_id: Option<Uuid>,
    actor_key_id: Option<Uuid>,
    action: String,
    target_id: Option<Uuid>,
    result: String,
    request_id: Option<String>,
    project_id: Option<Uuid>,
    organization_id: Option<Uuid>,
    attempts: i32,
}

impl AuditEntryRow {
    fn entry(self) -> Result<AuditEntry> {
        Ok(AuditEntry {
            id: self.sequence.to_string(),
            occurred_at: Timestamp::from(self.occurred_at),
            operation: self.action,
            result: self.result,
            user_id: self.actor_user_id.map(UserId),
            key_id: self.actor_key_id.map(ApiKeyId),
            request_id: self.request_id,
            project_id: self.project_id.map(ProjectId),
            organization_id: self.organization_id.map(OrganizationId),
            target_id: self.target_id,
            attempts: u32::try_from(self.attempts).map_err(Error::internal)?,
        })
    }
}
