//! Jobs: work of this process outside of any request, under leases in the database. See `docs/design/runs.md` and
//! `docs/design/executions.md`.
//!
//! A kind of job is one file that implements [`Job`]. Handlers hold a [`JobClient`](crate::job_client::JobClient), a part
//! of the application's state. It registers a job and queues it. The [`host::JobHost`] is built on that state; it takes
//! jobs off the queue, works on them and keeps their leases.

mod agent_run;
pub mod code_execution;
pub mod host;
mod lease;

use domain::Result;
use domain::id::SessionId;
use domain::time::Timestamp;
use store::{JobKind, Tx};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A kind of job, with the state that its work needs.
trait Job: Send + Sync + 'static {
    /// Its name, and the table with the leases of its jobs.
    const KIND: &'static JobKind;
    /// True if the session goes on after the job. Such a job is stopped before its process ends, and the session of a lost
    /// one gets another host.
    const IS_RESUMED: bool;

    /// Works on a job until it ends, or `cancel` stops it. A job that has another process, or has ended, is left alone.
    ///
    /// # Errors
    /// `UNAVAILABLE`: the job fails when its lease expires.
    async fn work(&self, id: Uuid, cancel: &CancellationToken) -> Result<()>;

    /// Writes the end of a locked job whose process died.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    async fn fail_lost(tx: &mut Tx, id: Uuid, session: SessionId, now: Timestamp) -> Result<()>;
}
