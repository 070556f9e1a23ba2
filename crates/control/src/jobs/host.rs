//! Works on the jobs of this process and keeps their leases.

use std::sync::Arc;

use agent::run::Runner;
use domain::job::JobId;
use tokio_util::task::LocalPoolHandle;

use crate::app::App;
use crate::jobs::client::JobQueue;
use crate::jobs::code_execution::CodeExecutions;
use crate::jobs::lease::LeaseKeeper;
use crate::jobs::registry::JobGuard;

/// Threads that jobs run on. Jobs mostly wait: for models, for the database, for processes that run code.
const THREADS: usize = 3;

/// The worker of each kind of job.
pub struct JobHost {
    app: App,
    agent_runs: Runner<App>,
    code_executions: CodeExecutions,
}

impl JobHost {
    /// Creates a host on the application's state, which runs at most `executions_at_once` programs at a time.
    ///
    /// # Errors
    /// The HTTP client for executed code can't be made.
    pub fn new(app: App, executions_at_once: u16) -> anyhow::Result<Self> {
        let agent_runs = Runner {
            app: app.clone(),
            executor: app.tools.clone(),
            store: app.store.clone(),
            link: app.link.clone(),
            models: app.models.clone(),
            limits: app.run_limits,
            clock: app.clock,
        };
        let code_executions = CodeExecutions::new(app.clone(), executions_at_once)?;
        Ok(Self { app, agent_runs, code_executions })
    }

    /// Works on the jobs of `queue`, and keeps leases, until the process ends.
    pub fn start(self, mut queue: JobQueue) {
        let keeper = LeaseKeeper::new(&self.app);
        let (threads, host) = (LocalPoolHandle::new(THREADS), Arc::new(self));
        // A thread of its own: no job can delay a renewal.
        let keeper_thread = LocalPoolHandle::new(1);
        tokio::spawn(async move {
            let _keeper = keeper_thread.spawn_pinned(move || keeper.run());
            while let Some(job) = queue.next().await {
                let host = Arc::clone(&host);
                threads.spawn_pinned(move || async move { host.work(&job).await });
            }
        });
    }

    async fn work(&self, JobGuard { job, cancel, .. }: &JobGuard) {
        let worked = match job {
            JobId::AgentRun(run) => self.agent_runs.work(*run, cancel).await,
            JobId::CodeExecution(execution) => self.code_executions.work(*execution, cancel).await,
        };
        if let Err(error) = worked {
            tracing::warn!(%job, "error.chain" = error.chain(), "job abandoned; it fails when its lease expires");
        }
    }
}
