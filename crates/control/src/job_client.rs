//! The handle on jobs that handlers hold: starts a job here, dispatches it to another process, and stops it there.

pub mod registry;

use std::time::Duration;

use domain::Result;
use domain::id::ProcessId;
use link::{Link, NamedJob, ProcessRequest};
use store::{JobId, Store};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::job_client::registry::{JobGuard, RunningJobs};

/// Longest wait for another process to start a job, and for a job to stop.
const WAIT: Duration = Duration::from_secs(2);

/// Starts and stops jobs. Cheap to clone.
#[derive(Clone)]
pub struct JobClient {
    pub(crate) running: RunningJobs,
    store: Store,
    link: Link,
    queue: UnboundedSender<JobGuard>,
}

/// The jobs that were started in this process, for its host.
pub struct JobQueue(UnboundedReceiver<JobGuard>);

impl JobClient {
    /// Creates a client, and the queue of the jobs that it starts.
    pub fn new(store: Store, link: Link) -> (Self, JobQueue) {
        let (queue, started) = mpsc::unbounded_channel();
        (Self { running: RunningJobs::default(), store, link, queue }, JobQueue(started))
    }

    /// Starts a job that is assigned to this process. Does nothing if this process works on it already.
    pub fn start(&self, job: impl Into<JobId>) {
        if let Some(guard) = self.running.register(job.into()) {
            // The host takes jobs for as long as the process lives.
            let _ended = self.queue.send(guard);
        }
    }

    /// Has the process `to`, which a job is assigned to, start it; falls back to this process on timeout.
    ///
    /// # Errors
    /// `UNAVAILABLE`: the job fails when its lease expires.
    pub async fn dispatch(&self, job: impl Into<JobId>, to: ProcessId) -> Result<()> {
        let job = job.into();
        if to != self.link.process() {
            if let Ok(true) = self.link.ask(to, ProcessRequest::StartJob { job: named(job) }, WAIT).await {
                return Ok(());
            }
            // The other process may have begun although its answer is missing.
            if !self.store.reassign_job(job, self.link.process()).await? {
                return Ok(());
            }
        }
        self.start(job);
        Ok(())
    }

    /// Stops a job in the process `at`, and waits for its end, within bounds. The caller writes the end of a job that
    /// doesn't stop in time.
    pub async fn stop(&self, job: impl Into<JobId>, at: ProcessId) {
        let job = job.into();
        if at == self.link.process() {
            self.stop_here(job).await;
        } else if let Err(error) = self.link.ask(at, ProcessRequest::StopJob { job: named(job) }, WAIT).await
        {
            tracing::info!(%job, %error, "stop request not delivered to the job's process");
        }
    }

    /// Stops a job of this process, and waits for its end, within bounds.
    pub(crate) async fn stop_here(&self, job: JobId) {
        self.running.stop(job, WAIT).await;
    }
}

impl JobQueue {
    /// The next job.
    pub(crate) async fn next(&mut self) -> Option<JobGuard> {
        self.0.recv().await
    }
}

/// A job as other processes know it.
fn named(job: JobId) -> NamedJob {
    NamedJob { kind: job.kind.name.to_owned(), id: job.id }
}
