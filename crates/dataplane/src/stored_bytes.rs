//! The limit on the bytes that the projects of one owner store. The sum is read once a minute for each project with
//! uploads, and this process adds its own uploads to it: those of other processes may exceed the limit meanwhile.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::id::ProjectId;
use domain::{Error, Result};
use parking_lot::Mutex;
use store::Store;

/// Time for which a sum is believed.
const LIFETIME: Duration = Duration::from_secs(60);
/// Most remembered sums. When there are more, all are forgotten.
const SUMS_MAX: usize = 10_000;

/// The stored bytes of owners, by project. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StoredBytes {
    limit: u64,
    sums: Arc<Mutex<HashMap<ProjectId, Sum>>>,
}

/// The bytes of all files of a project's owner.
#[derive(Clone, Copy, Debug)]
struct Sum {
    bytes: u64,
    read_at: Instant,
}

impl StoredBytes {
    /// Allows each owner this many bytes.
    pub fn new(limit: u64) -> Self {
        Self { limit, sums: Arc::default() }
    }

    /// Refuses a file of `size_bytes` that the project's owner has no room for.
    ///
    /// # Errors
    /// `LIMIT_REACHED`; `UNAVAILABLE`.
    pub async fn check(&self, store: &Store, project: ProjectId, size_bytes: u64) -> Result<()> {
        let known = self.sums.lock().get(&project).copied();
        let current = match known.filter(|sum| sum.read_at.elapsed() < LIFETIME) {
            Some(sum) => sum.bytes,
            None => {
                let bytes = store.stored_bytes(project).await?;
                let mut sums = self.sums.lock();
                if sums.len() >= SUMS_MAX {
                    sums.clear();
                }
                sums.insert(project, Sum { bytes, read_at: Instant::now() });
                bytes
            }
        };
        if current.saturating_add(size_bytes) <= self.limit {
            return Ok(());
        }
        Err(Error::limit_reached("storedBytes", self.limit, current))
    }

    /// Adds a stored file.
    pub fn add(&self, project: ProjectId, size_bytes: u64) {
        if let Some(sum) = self.sums.lock().get_mut(&project) {
            sum.bytes = sum.bytes.saturating_add(size_bytes);
        }
    }
}
