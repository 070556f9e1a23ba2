//! Failure of jobs of all kinds whose process died.

use domain::Result;
use domain::id::SessionId;
use domain::job::JobId;
use domain::time::Timestamp;

use crate::resources::leases::{KINDS, lock_lost};
use crate::resources::store::Store;
use crate::resources::{executions, runs};

impl Store {
    /// Fails the jobs whose lease has expired; returns them with their sessions. Every replica calls this; of two that call
    /// it at once, one fails each job.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn fail_lost_jobs(&self, now: Timestamp) -> Result<Vec<(JobId, SessionId)>> {
        let mut failed = Vec::new();
        for kind in KINDS {
            for (job, session) in self.lost_jobs(&kind).await? {
                match self.fail_lost(job, session, now).await {
                    Ok(true) => failed.push((job, session)),
                    Ok(false) => {}
                    // The other jobs are independent.
                    Err(error) => {
                        tracing::warn!(%job, "error.chain" = error.chain(), "lost job not failed");
                    }
                }
            }
        }
        Ok(failed)
    }

    async fn fail_lost(&self, job: JobId, session: SessionId, now: Timestamp) -> Result<bool> {
        self.transaction(async |tx| {
            let is_lost = lock_lost(tx, job).await?;
            if is_lost {
                match job {
                    JobId::AgentRun(run) => runs::fail_lost(tx, run, session, now).await?,
                    JobId::CodeExecution(execution) => {
                        executions::fail_lost(tx, execution, session, now).await?;
                    }
                }
            }
            Ok(is_lost)
        })
        .await
    }
}
