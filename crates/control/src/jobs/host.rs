//! Works on the jobs of this process and keeps their leases.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::join_all;
use link::{Link, NamedJob, ProcessRequest};
use store::{JobId, JobKind};
use tokio_util::task::LocalPoolHandle;

use crate::app::App;
use crate::job_client::registry::JobGuard;
use crate::job_client::{JobClient, JobQueue};
use crate::jobs::Job;
use crate::jobs::agent_run::AgentRuns;
use crate::jobs::code_execution::CodeExecutions;
use crate::jobs::lease::LeaseKeeper;

/// Threads that jobs run on. Jobs mostly wait: for models, for the database, for processes that run code.
const THREADS: usize = 3;

/// The kinds of jobs that this process works on. Cheap to clone.
#[derive(Clone)]
pub struct JobHost {
    client: JobClient,
    kinds: Arc<HashMap<&'static str, HostedKind>>,
}

/// A kind of job, as [`Job`] describes it.
struct HostedKind {
    kind: &'static JobKind,
    is_resumed: bool,
    /// Works on a registered job, on a thread of jobs.
    work: Box<dyn Fn(JobGuard) + Send + Sync>,
}

/// The kinds while they are collected, with their threads.
struct HostedKinds {
    keeper: LeaseKeeper,
    threads: LocalPoolHandle,
    /// A thread of its own: no job can delay a renewal.
    keeper_thread: LocalPoolHandle,
    by_name: HashMap<&'static str, HostedKind>,
}

impl JobHost {
    /// Works on the jobs of `queue`, keeps leases, and serves the requests of other processes, until the process ends. At most
    /// `executions_at_once` programs run at a time.
    ///
    /// # Errors
    /// The HTTP client for executed code can't be made.
    pub fn start(app: &App, mut queue: JobQueue, executions_at_once: u16) -> anyhow::Result<Self> {
        let mut kinds = HostedKinds::new(app);
        kinds.add(AgentRuns::new(app.clone()));
        kinds.add(CodeExecutions::new(app.clone(), executions_at_once)?);
        let host = Self { client: app.jobs.clone(), kinds: Arc::new(kinds.by_name) };
        let kinds = Arc::clone(&host.kinds);
        tokio::spawn(async move {
            while let Some(guard) = queue.next().await {
                if let Some(hosted) = kinds.get(guard.job.kind.name) {
                    (hosted.work)(guard);
                }
            }
        });
        host.serve(&app.link);
        Ok(host)
    }

    /// Stops the jobs of this process after which their sessions go on, and waits for their ends, within bounds: before other
    /// processes take over the sessions. The others end with the process, and fail when their leases expire.
    pub async fn shutdown(&self) {
        let resumed = self.kinds.values().filter(|hosted| hosted.is_resumed);
        let jobs = resumed.flat_map(|hosted| self.client.running.of_kind(hosted.kind));
        join_all(jobs.map(|job| self.client.stop_here(job))).await;
    }

    /// Starts and stops jobs of this process at the request of others. Jobs of kinds that it doesn't know are declined.
    fn serve(&self, link: &Link) {
        let host = self.clone();
        link.serve(move |request| {
            let host = host.clone();
            async move {
                let (ProcessRequest::StartJob { job } | ProcessRequest::StopJob { job }) = &request;
                let Some(job) = host.known(job) else { return false };
                match request {
                    ProcessRequest::StartJob { .. } => host.client.start(job),
                    ProcessRequest::StopJob { .. } => host.client.stop_here(job).await,
                }
                true
            }
        });
    }

    fn known(&self, job: &NamedJob) -> Option<JobId> {
        self.kinds.get(job.kind.as_str()).map(|hosted| JobId { kind: hosted.kind, id: job.id })
    }
}

impl HostedKinds {
    fn new(app: &App) -> Self {
        let (threads, keeper_thread) = (LocalPoolHandle::new(THREADS), LocalPoolHandle::new(1));
        Self { keeper: LeaseKeeper::new(app), threads, keeper_thread, by_name: HashMap::new() }
    }

    fn add<J: Job>(&mut self, jobs: J) {
        let (keeper, threads, jobs) = (self.keeper.clone(), self.threads.clone(), Arc::new(jobs));
        self.keeper_thread.spawn_pinned(move || keeper.run::<J>());
        let work = Box::new(move |guard| {
            let jobs = Arc::clone(&jobs);
            threads.spawn_pinned(move || async move { work(&*jobs, &guard).await });
        });
        let hosted = HostedKind { kind: J::KIND, is_resumed: J::IS_RESUMED, work };
        self.by_name.insert(J::KIND.name, hosted);
    }
}

async fn work<J: Job>(jobs: &J, JobGuard { job, cancel, .. }: &JobGuard) {
    if let Err(error) = jobs.work(job.id, cancel).await {
        tracing::warn!(%job, "error.chain" = error.chain(), "job abandoned; it fails when its lease expires");
    }
}
