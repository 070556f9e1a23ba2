//! Renews the leases of the jobs of one kind in this process, and fails jobs whose process died.

use std::time::Duration;

use domain::Result;
use domain::id::SessionId;
use domain::time::Clock;
use link::Link;
use store::{Store, Tx};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::app::App;
use crate::job_client::registry::RunningJobs;
use crate::jobs::Job;

/// Time between two renewals; several fit in a lease.
const INTERVAL: Duration = Duration::from_secs(4);
/// How long the session of a lost job is kept hosted. Its host's lease may outlive the job's.
const ORPHAN_CARE: Duration = Duration::from_secs(30);

/// Keeps the leases of a process's jobs. Cheap to clone.
#[derive(Clone)]
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
    pub(super) async fn run<J: Job>(self) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut orphans = Vec::new();
        loop {
            ticks.tick().await;
            if let Err(error) = self.renew::<J>().await {
                tracing::warn!("error.chain" = error.chain(), "leases of jobs not renewed");
            }
            match self.fail_lost::<J>().await {
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
    async fn renew<J: Job>(&self) -> Result<()> {
        let jobs = self.running.of_kind(J::KIND);
        if jobs.is_empty() {
            return Ok(());
        }
        let renewed = self.store.renew_leases(J::KIND, self.link.process(), &jobs).await?;
        jobs.into_iter().filter(|job| !renewed.contains(job)).for_each(|lost| self.running.cancel(lost));
        Ok(())
    }

    /// Fails the jobs whose lease has expired; returns their sessions if those go on. Every replica calls this; of two that
    /// call it at once, one fails each job.
    async fn fail_lost<J: Job>(&self) -> Result<Vec<SessionId>> {
        let (mut sessions, now) = (Vec::new(), self.clock.now());
        for (job, session) in self.store.lost_jobs(J::KIND).await? {
            let fail = async |tx: &mut Tx| J::fail_lost(tx, job.id, session, now).await;
            match self.store.end_lost_job(job, fail).await {
                Ok(true) => {
                    tracing::warn!(%job, session.id = %session, "job failed: its process died");
                    self.link.announce_events(session);
                    sessions.push(session);
                }
                Ok(false) => {}
                // The other jobs are independent.
                Err(error) => {
                    tracing::warn!(%job, "error.chain" = error.chain(), "lost job not failed");
                }
            }
        }
        Ok(if J::IS_RESUMED { sessions } else { Vec::new() })
    }

    /// Hosts a session here if it has no host: a user whose job was lost can go on in it.
    async fn take_over(&self, session: SessionId) {
        if let Err(error) = self.link.ensure_hosted(session).await {
            tracing::info!(session.id = %session, %error, "session not taken over");
        }
    }
}
