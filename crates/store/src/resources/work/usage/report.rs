//! Reports on the ledger (docs/api.md, section 8).

use auth::actor::UsageRead;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{ProjectId, SessionId};
use domain::time::Timestamp;
use domain::work::usage::MicroCredits;
use domain::work::usage::report::{GroupBy, UsageGroup, UsageReport, UsageScope, UsageTotals};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::organization::Organization;
use crate::access::project::Project;
use crate::access::session::Session;
use crate::access::user::User;
use crate::resources::store::Tx;

/// The events and groups of a report.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportFilter {
    /// Only events at or after this.
    pub from: Option<Timestamp>,
    /// Only events at or before this.
    pub to: Option<Timestamp>,
    /// The dimension of its groups.
    pub group_by: Option<GroupBy>,
}

/// The usage that the caller's account pays for: that of projects that it owned at the time. A confined key sees only its
/// projects.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_account(tx: &mut Tx, me: &User<UsageRead>, filter: &ReportFilter) -> Result<UsageReport> {
    let confined = me.actor.confinement.as_ref();
    let projects = confined.map(|to| to.projects.iter().map(|project| project.0).collect());
    read(tx, (UsageScope::Account, "owner", me.id().0), projects, filter).await
}

/// The usage of a project.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_project(
    tx: &mut Tx,
    project: &Project<UsageRead>,
    filter: &ReportFilter,
) -> Result<UsageReport> {
    let id = project.record.id;
    let report = read(tx, (UsageScope::Project, "project", id.0), None, filter).await?;
    Ok(UsageReport { project_id: Some(id), ..report })
}

/// The usage of a session.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_session(
    tx: &mut Tx,
    session: &Session<UsageRead>,
    filter: &ReportFilter,
) -> Result<UsageReport> {
    let record = &session.record;
    let report = read(tx, (UsageScope::Session, "session", record.id.0), None, filter).await?;
    Ok(UsageReport { project_id: Some(record.project), session_id: Some(record.id), ..report })
}

/// The usage that an organization pays for: that of projects that it owned at the time.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_organization(
    tx: &mut Tx,
    organization: &Organization<UsageRead>,
    filter: &ReportFilter,
) -> Result<UsageReport> {
    let id = organization.id;
    let report = read(tx, (UsageScope::Organization, "owner", id.0), None, filter).await?;
    Ok(UsageReport { org_id: Some(id), ..report })
}

/// The report on what `of` is charged for: an `owner`, a `project` or a `session`.
async fn read(
    tx: &mut Tx,
    (scope, kind, of): (UsageScope, &'static str, Uuid),
    projects: Option<Vec<Uuid>>,
    filter: &ReportFilter,
) -> Result<UsageReport> {
    let rows: Vec<UsageRow> = Statement::new(include_str!("report.sql"))
        .bind::<SqlUuid, _>(of)
        .bind::<Nullable<Timestamptz>, _>(filter.from.map(|time| time.0))
        .bind::<Nullable<Timestamptz>, _>(filter.to.map(|time| time.0))
        .bind::<Nullable<Array<SqlUuid>>, _>(projects)
        .bind::<Nullable<Text>, _>(filter.group_by.map(GroupBy::as_str))
        .bind::<Text, _>(kind)
        .load(tx)
        .await?;
    let (mut as_of, mut totals, mut groups) = (None, UsageTotals::default(), Vec::new());
    for row in rows {
        if row.is_total {
            as_of = row.as_of.map(Timestamp::from);
            totals = row.totals();
        } else {
            groups.push(row.group());
        }
    }
    let groups = filter.group_by.map(|_| groups);
    let (project_id, session_id, org_id, group_by) = (None, None, None, filter.group_by);
    Ok(UsageReport { scope, as_of, totals, project_id, session_id, org_id, group_by, groups })
}

#[derive(QueryableByName)]
struct UsageRow {
    #[diesel(sql_type = Bool)]
    is_total: bool,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    as_of: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Text>)]
    provider: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    model: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    project_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    session_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    day: Option<OffsetDateTime>,
    #[diesel(sql_type = BigInt)]
    micro_credits: i64,
    #[diesel(sql_type = BigInt)]
    prompt_tokens: i64,
    #[diesel(sql_type = BigInt)]
    completion_tokens: i64,
    #[diesel(sql_type = BigInt)]
    reasoning_tokens: i64,
    #[diesel(sql_type = BigInt)]
    cache_write_tokens: i64,
    #[diesel(sql_type = BigInt)]
    cache_read_tokens: i64,
    #[diesel(sql_type = BigInt)]
    event_count: i64,
    #[diesel(sql_type = BigInt)]
    estimated_event_count: i64,
}

impl UsageRow {
    fn totals(&self) -> UsageTotals {
        UsageTotals {
            credits: MicroCredits(self.micro_credits),
            prompt_tokens: self.prompt_tokens,
            completion_tokens: self.completion_tokens,
            reasoning_tokens: self.reasoning_tokens,
            cache_write_tokens: self.cache_write_tokens,
            cache_read_tokens: self.cache_read_tokens,
            event_count: self.event_count,
            estimated_event_count: self.estimated_event_count,
        }
    }

    fn group(self) -> UsageGroup {
        let totals = self.totals();
        UsageGroup {
            provider: self.provider,
            model: self.model,
            project_id: self.project_id.map(ProjectId),
            session_id: self.session_id.map(SessionId),
            day: self.day.map(Timestamp::from),
            totals,
        }
    }
}
