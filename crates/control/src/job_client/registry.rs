//! The jobs that this process works on, by id: registered once, cancelled on request.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use store::{JobId, JobKind};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The registered jobs. Cheap to clone.
#[derive(Clone, Default)]
pub struct RunningJobs(Arc<Mutex<HashMap<JobId, Tokens>>>);

/// A registered job; removed when this is dropped.
pub struct JobGuard {
    /// The job.
    pub job: JobId,
    /// Cancelled when the job is to end.
    pub cancel: CancellationToken,
    ended: CancellationToken,
    running: RunningJobs,
}

#[derive(Clone, Default)]
struct Tokens {
    cancel: CancellationToken,
    ended: CancellationToken,
}

impl RunningJobs {
    /// Registers a job; `None` if it is registered already.
    pub fn register(&self, job: JobId) -> Option<JobGuard> {
        match self.0.lock().entry(job) {
            Entry::Occupied(_) => None,
            Entry::Vacant(free) => {
                let Tokens { cancel, ended } = free.insert(Tokens::default()).clone();
                Some(JobGuard { job, cancel, ended, running: self.clone() })
            }
        }
    }

    /// The registered jobs of a kind.
    pub fn of_kind(&self, kind: &JobKind) -> Vec<JobId> {
        self.0.lock().keys().filter(|job| job.kind == kind).copied().collect()
    }

    /// Cancels a job, if it is registered.
    pub fn cancel(&self, job: JobId) {
        if let Some(tokens) = self.0.lock().get(&job) {
            tokens.cancel.cancel();
        }
    }

    /// Cancels a job, if it is registered, and waits for its end, at most for `wait`.
    pub async fn stop(&self, job: JobId, wait: Duration) {
        let tokens = self.0.lock().get(&job).cloned();
        if let Some(tokens) = tokens {
            tokens.cancel.cancel();
            let _late = timeout(wait, tokens.ended.cancelled()).await;
        }
    }
}

impl Drop for JobGuard {
    fn drop(&mut self) {
        self.running.0.lock().remove(&self.job);
        self.ended.cancel();
    }
}
