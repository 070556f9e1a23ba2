//! Leases of jobs. A job is assigned to one process, which alone writes for it while it renews the lease. Every end of a job,
//! by its process, by a stop or after the lease has expired, locks the job's row: a job ends once.

use std::fmt;

use auth::actor::{Actor, ActorCredential, ProjectWrite};
use database::prelude::*;
use diesel::sql_types::{Array, Nullable, Uuid as SqlUuid};
use domain::content::project::{BranchName, ProjectRef};
use domain::id::{ApiKeyId, ProcessId, ProjectId, SessionId, UserId};
use domain::people::permission::Permissions;
use domain::time::Timestamp;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::{Call, CallContext};
use crate::access::session::SessionRef;
use crate::resources::store::{Store, Tx};

/// The end of a lease that begins now, by the database's clock, which all processes share.
pub(crate) const LEASE_FROM_NOW: &str = "now() + interval '15 seconds'";

/// A kind of job: its name, and the statements on its table, which has the columns of a lease.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct JobKind {
    /// Its name, in the log and in requests between processes.
    pub name: &'static str,
    pub(crate) lock: &'static str,
    pub(crate) lock_lost: &'static str,
    pub(crate) lost: &'static str,
    pub(crate) reassign: &'static str,
    pub(crate) renew: &'static str,
}

/// A job: its kind, and the id of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JobId {
    /// Its kind.
    pub kind: &'static JobKind,
    /// The id, which no job of another kind has.
    pub id: Uuid,
}

/// Proof that this process works on a job, and for whom. Every write for the job takes it, and changes nothing after the job
/// has ended or another process has taken it over.
#[derive(Clone, Debug)]
pub struct Lease {
    /// The job.
    pub job: JobId,
    /// Its session.
    pub session: SessionId,
    /// The session's project.
    pub project: ProjectId,
    /// The session's branch.
    pub branch: BranchName,
    /// The job's author.
    pub user: UserId,
    /// The author's API key; `None` for a browser session.
    pub key: Option<ApiKeyId>,
    pub(crate) process: ProcessId,
}

impl Lease {
    /// The session, as a request names it.
    pub fn session_ref(&self) -> SessionRef {
        SessionRef { project: self.project_ref(), session: self.session }
    }

    /// The project at the session's branch, as a request names it.
    pub fn project_ref(&self) -> ProjectRef {
        ProjectRef { project: self.project, branch: Some(self.branch.clone()) }
    }

    /// The context of a call that the job makes. Its request id is the job's id.
    pub fn call_context(&self, now: Timestamp) -> CallContext {
        CallContext { now, request_id: self.job.id.to_string(), idempotency: None, trail: None }
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name, self.id)
    }
}

/// Locks a job in progress until the transaction ends; `false` if it has ended, or `process` is given and is not the job's.
pub(crate) async fn lock(tx: &mut Tx, job: JobId, process: Option<ProcessId>) -> Result<bool> {
    let locked: Vec<JobRow> = Statement::new(job.kind.lock)
        .bind::<SqlUuid, _>(job.id)
        .bind::<Nullable<SqlUuid>, _>(process.map(|process| process.0))
        .load(tx)
        .await?;
    Ok(!locked.is_empty())
}

/// Locks a job whose lease has expired; `false` if another transaction holds or has ended it.
async fn lock_lost(tx: &mut Tx, job: JobId) -> Result<bool> {
    let locked: Vec<JobRow> = Statement::new(job.kind.lock_lost).bind::<SqlUuid, _>(job.id).load(tx).await?;
    Ok(!locked.is_empty())
}

impl Store {
    /// Runs `write` for a job in one transaction; returns `false`, and writes nothing, if the lease is lost.
    pub(crate) async fn with_lease(
        &self,
        lease: &Lease,
        write: impl AsyncFn(&mut Tx) -> Result<()>,
    ) -> Result<bool> {
        self.transaction(async |tx| {
            let is_held = lock(tx, lease.job, Some(lease.process)).await?;
            if is_held {
                write(tx).await?;
            }
            Ok(is_held)
        })
        .await
    }

    /// A call by the job's author, with the rights that the author's credential has now.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if the API key was revoked or has expired; `INSUFFICIENT_SCOPE`; `UNAVAILABLE`.
    pub async fn call_of_job(&self, lease: &Lease, now: Timestamp) -> Result<Call<ProjectWrite>> {
        let actor = match lease.key {
            Some(key) => self.find_actor_by_key_id(key, now).await?.ok_or_else(Error::unauthenticated)?,
            None => Actor {
                user: lease.user,
                credential: ActorCredential::Job,
                ceiling: Permissions::all(),
                confinement: None,
                acting_in: None,
            },
        };
        Call::authorise(actor, lease.call_context(now))
    }

    /// Renews the leases of jobs of one kind; returns those that are still in progress in this process and had not expired.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn renew_leases(
        &self,
        kind: &'static JobKind,
        process: ProcessId,
        jobs: &[JobId],
    ) -> Result<Vec<JobId>> {
        let statement = Statement::new(kind.renew)
            .bind::<Array<SqlUuid>, _>(jobs.iter().map(|job| job.id).collect::<Vec<_>>())
            .bind::<SqlUuid, _>(process.0);
        let renewed: Vec<JobRow> = statement.load(&self.connection().await?).await?;
        Ok(renewed.into_iter().map(|row| JobId { kind, id: row.id }).collect())
    }

    /// Assigns a waiting job to another process; `false` if it has begun.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn reassign_job(&self, job: JobId, to: ProcessId) -> Result<bool> {
        let statement = Statement::new(job.kind.reassign).bind::<SqlUuid, _>(job.id).bind::<SqlUuid, _>(to.0);
        let moved = statement.execute(&self.connection().await?).await?;
        Ok(moved == 1)
    }

    /// The jobs of a kind whose lease has expired, with their sessions.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn lost_jobs(&self, kind: &'static JobKind) -> Result<Vec<(JobId, SessionId)>> {
        let statement = Statement::new(kind.lost);
        let lost: Vec<LostRow> = statement.load(&self.connection().await?).await?;
        Ok(lost.into_iter().map(|row| (JobId { kind, id: row.id }, SessionId(row.session_id))).collect())
    }

    /// Ends a job whose lease has expired by `end`; returns `false`, and writes nothing, if another replica does it or it has
    /// ended.
    ///
    /// # Errors
    /// `UNAVAILABLE`, and those of `end`.
    pub async fn end_lost_job(&self, job: JobId, end: impl AsyncFn(&mut Tx) -> Result<()>) -> Result<bool> {
        self.transaction(async |tx| {
            let is_lost = lock_lost(tx, job).await?;
            if is_lost {
                end(tx).await?;
            }
            Ok(is_lost)
        })
        .await
    }
}

#[derive(QueryableByName)]
struct JobRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[derive(QueryableByName)]
struct LostRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    session_id: Uuid,
}
