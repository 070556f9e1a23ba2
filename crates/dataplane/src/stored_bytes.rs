//! The limit on the bytes that the projects of one owner store.
//!
//! The sum of an owner is read once a minute, and each second near the limit. An upload reserves its bytes before it is
//! attached, so that uploads at the same time don't exceed the limit together. Those of other processes count from the next
//! reading on. A sum in the transaction of the attachment would be exact, and a lock for which all uploads of an owner wait.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::id::{OwnerId, ProjectId};
use domain::{Error, Result};
use parking_lot::Mutex;
use store::Store;

/// Time for which a sum is believed.
const LIFETIME: Duration = Duration::from_secs(60);
/// The same near the limit.
const LIFETIME_NEAR_LIMIT: Duration = Duration::from_secs(1);
/// The part of the limit that is near it: a tenth.
const NEAR_LIMIT: u64 = 10;
/// Most remembered projects. When there are more, all are forgotten.
const PROJECTS_MAX: usize = 10_000;

/// The stored bytes of owners. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StoredBytes {
    limit: u64,
    known: Arc<Mutex<KnownOwners>>,
}

/// Bytes that an upload will store. Dropped, they are free again.
#[derive(Debug)]
pub struct Reservation {
    known: Arc<Mutex<KnownOwners>>,
    owner: OwnerId,
    size_bytes: u64,
}

#[derive(Debug, Default)]
struct KnownOwners {
    /// The owners of projects, which a transfer changes.
    owners: HashMap<ProjectId, (OwnerId, Instant)>,
    sums: HashMap<OwnerId, Sum>,
}

/// The bytes of all files of an owner.
#[derive(Clone, Copy, Debug)]
struct Sum {
    /// Bytes as they were read, with those that were added by this process meanwhile.
    bytes: u64,
    /// Bytes of uploads in progress.
    reserved: u64,
    /// All bytes that this process has added.
    added: u64,
    read_at: Instant,
}

impl StoredBytes {
    /// Allows each owner this many bytes.
    pub fn new(limit: u64) -> Self {
        Self { limit, known: Arc::default() }
    }

    /// Refuses a file of `size_bytes` that the project's owner has no room for.
    ///
    /// # Errors
    /// `LIMIT_REACHED`; `UNAVAILABLE`.
    pub async fn check(&self, store: &Store, project: ProjectId, size_bytes: u64) -> Result<()> {
        self.reserve(store, project, size_bytes).await.map(drop)
    }

    /// Reserves room for a file of `size_bytes`.
    ///
    /// # Errors
    /// `LIMIT_REACHED`; `NOT_FOUND` if the project is gone; `UNAVAILABLE`.
    pub async fn reserve(&self, store: &Store, project: ProjectId, size_bytes: u64) -> Result<Reservation> {
        let owner = self.owner(store, project).await?;
        let read = if self.is_fresh(owner) { None } else { Some(self.read(store, owner).await?) };
        let mut known = self.known.lock();
        let sum = known.sums.entry(owner).or_insert_with(|| Sum::new(read.unwrap_or_default()));
        let current = sum.bytes.saturating_add(sum.reserved);
        if current.saturating_add(size_bytes) > self.limit {
            return Err(Error::limit_reached("storedBytes", self.limit, current));
        }
        sum.reserved = sum.reserved.saturating_add(size_bytes);
        Ok(Reservation { known: Arc::clone(&self.known), owner, size_bytes })
    }

    /// The owner of a project.
    async fn owner(&self, store: &Store, project: ProjectId) -> Result<OwnerId> {
        let known = self.known.lock().owners.get(&project).copied();
        if let Some((owner, read_at)) = known
            && read_at.elapsed() < LIFETIME
        {
            return Ok(owner);
        }
        let owner = store.project_owner(project).await?.ok_or_else(Error::not_found)?;
        let mut known = self.known.lock();
        if known.owners.len() >= PROJECTS_MAX {
            *known = KnownOwners::default();
        }
        known.owners.insert(project, (owner, Instant::now()));
        Ok(owner)
    }

    /// True if the sum of an owner was read recently.
    fn is_fresh(&self, owner: OwnerId) -> bool {
        self.known.lock().sums.get(&owner).is_some_and(|sum| {
            let is_near = sum.bytes.saturating_add(sum.reserved) > self.limit - self.limit / NEAR_LIMIT;
            sum.read_at.elapsed() < if is_near { LIFETIME_NEAR_LIMIT } else { LIFETIME }
        })
    }

    /// Reads the sum of an owner.
    async fn read(&self, store: &Store, owner: OwnerId) -> Result<u64> {
        let added = || self.known.lock().sums.get(&owner).map_or(0, |sum| sum.added);
        let before = added();
        let bytes = store.stored_bytes(owner).await?;
        // Files that were added meanwhile may not be part of it.
        let bytes = bytes.saturating_add(added().saturating_sub(before));
        let mut known = self.known.lock();
        let sum = known.sums.entry(owner).or_insert_with(|| Sum::new(bytes));
        *sum = Sum { bytes, read_at: Instant::now(), ..*sum };
        Ok(bytes)
    }
}

impl Sum {
    fn new(bytes: u64) -> Self {
        Self { bytes, reserved: 0, added: 0, read_at: Instant::now() }
    }
}

impl Reservation {
    /// Counts the bytes as stored.
    pub fn keep(self) {
        if let Some(sum) = self.known.lock().sums.get_mut(&self.owner) {
            sum.bytes = sum.bytes.saturating_add(self.size_bytes);
            sum.added = sum.added.saturating_add(self.size_bytes);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(sum) = self.known.lock().sums.get_mut(&self.owner) {
            sum.reserved = sum.reserved.saturating_sub(self.size_bytes);
        }
    }
}
