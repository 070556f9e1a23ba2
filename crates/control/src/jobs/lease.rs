//! Renews the leases of this process's jobs, and fails jobs whose process died.

use std::time::Duration;

use domain::Result;
use domain::id::SessionId;
use domain::job::JobId;
use domain::time::Clock;
use link::Link;
use store::Store;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::app::App;
use crate::jobs::registry::RunningJobs;

/// Time between two renewals; several fit in a lease.
const INTERVAL: Duration = Duration::from_secs(4);
/// How long the session of a lost run is kept hosted. Its host's lease may outlive the run's.
const ORPHAN_CARE: Duration = Duration::from_secs(30);

/// Keeps the leases of a process's jobs.
pub(super) struct LeaseKeeper {
    store: Store,
    link: Link,
    clock: Clock,
    running: RunningJobs,
}

impl LeaseKeeper {
    /// A keeper of the jobs that `app` starts.
    pub(super) fn new(app: &App) -> Self {
        let running = app.jobs.running.clone();
        Self { store: app.store.clone(), link: app.link.clone(), clock: app.clock, running }
    }

    /// Renews leases and fails lost jobs until the process ends.
    pub(super) async fn run(self) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut orphans = Vec::new();
        loop {
            ticks.tick().await;
            if let Err(error) = self.renew().await {
                tracing::warn!("error.chain" = error.chain(), "leases of jobs not renewed");
            }
            match self.fail_lost().await {
                Ok(sessions) => orphans.extend(sessions.into_iter().map(|session| (session, Instant::now()))),
                Err(error) => tracing::warn!("error.chain" = error.chain(), "lost jobs not failed"),
            }
            orphans.retain(|(_, since)| since.elapsed() < ORPHAN_CARE);
            for (session, _) in &orphans {
                self.take_over(*session).await;
            }
        }
    }

    /// Renews leases, and cancels the jobs that have none any more: they were ended elsewhere, or this process was suspended.
    async fn renew(&self) -> Result<()> {
        let jobs = self.running.ids();
        let renewed = self.store.renew_leases(self.link.process(), &jobs).await?;
        jobs.into_iter().filter(|job| !renewed.contains(job)).for_each(|lost| self.running.cancel(lost));
        Ok(())
    }

    /// Fails the jobs whose lease has expired; returns the sessions of agent runs among them.
    async fn fail_lost(&self) -> Result<Vec<SessionId>> {
        let lost = self.store.fail_lost_jobs(self.clock.now()).await?;
        for (job, session) in &lost {
            tracing::warn!(%job, session.id = %session, "job failed: its process died");
            self.link.announce_events(*session);
        }
        let of_runs = lost.into_iter().filter(|(job, _)| matches!(job, JobId::AgentRun(_)));
        Ok(of_runs.map(|(_, session)| session).collect())
    }

    /// Hosts a session here if it has no host: a user whose run was lost can go on in it.
    async fn take_over(&self, session: SessionId) {
        if let Err(error) = self.link.ensure_hosted(session).await {
            tracing::info!(session.id = %session, %error, "session not taken over");
        }
    }
}
