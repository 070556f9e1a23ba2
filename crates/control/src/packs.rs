//! Packs that were sent, kept for a while for whoever asks for the same commits next: what a commit holds never changes, and
//! many clone the same.
//!
//! Not here: who may have one. That is asked anew whenever one is sent.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::id::ProjectId;
use git::{Oid, Selection};
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most memory that the packs take, in bytes.
const CACHE_BYTES: u64 = 128 * 1024 * 1024;
/// Largest pack that is kept, in bytes: some 200,000 objects.
const PACK_BYTES: usize = 64 * 1024 * 1024;
/// How many packs are gathered at a time while they are sent; others go out without being kept.
const GATHERED_AT_ONCE: usize = 2;
/// How long a pack stays that nobody asks for.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// The packs of a process. Cheap to clone; the clones share what they hold.
#[derive(Clone)]
pub struct Packs {
    cache: Cache<PackKey, Pack>,
    gathering: Arc<Semaphore>,
}

/// A finished pack, in the pieces in which it was sent.
pub type Pack = Arc<[Bytes]>;

/// What a pack holds: these commits of a project, without what others hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackKey {
    project: ProjectId,
    selection: [u8; 32],
}

/// A pack that is being sent, and is kept once it is complete.
pub struct Gathering {
    packs: Packs,
    key: PackKey,
    pieces: Vec<Bytes>,
    bytes: usize,
    _permit: OwnedSemaphorePermit,
}

impl Packs {
    /// None yet.
    pub fn new() -> Self {
        let cache = Cache::builder()
            .max_capacity(CACHE_BYTES)
            .weigher(|_, pack: &Pack| {
                u32::try_from(pack.iter().map(Bytes::len).sum::<usize>()).unwrap_or(u32::MAX)
            })
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        Self { cache: cache.build(), gathering: Arc::new(Semaphore::new(GATHERED_AT_ONCE)) }
    }

    /// The pack, where it is kept.
    pub async fn find(&self, key: &PackKey) -> Option<Pack> {
        self.cache.get(key).await
    }

    /// Begins to gather a pack; `None` where enough others are being gathered.
    pub fn gather(&self, key: PackKey) -> Option<Gathering> {
        let permit = Arc::clone(&self.gathering).try_acquire_owned().ok()?;
        Some(Gathering { packs: self.clone(), key, pieces: Vec::new(), bytes: 0, _permit: permit })
    }
}

impl PackKey {
    /// The key of what `selection` selects.
    pub fn of(project: ProjectId, selection: &Selection) -> Self {
        let sorted = |commits: &[Oid]| {
            let mut oids: Vec<[u8; 20]> = commits.iter().map(|oid| oid.0).collect();
            oids.sort_unstable();
            oids
        };
        let (commits, bases) = (sorted(&selection.commits), sorted(&selection.bases));
        let mut hash = Sha256::new();
        // The number of the first tells where the second begin.
        hash.update(commits.len().to_be_bytes());
        for oid in commits.iter().chain(&bases) {
            hash.update(oid);
        }
        Self { project, selection: hash.finalize().into() }
    }
}

impl Gathering {
    /// Adds the next piece; nothing is left where the pack becomes too large to be kept.
    pub fn with(mut self, piece: &Bytes) -> Option<Self> {
        self.bytes += piece.len();
        self.pieces.push(piece.clone());
        (self.bytes <= PACK_BYTES).then_some(self)
    }

    /// Keeps the pack, which is complete.
    pub async fn keep(self) {
        self.packs.cache.insert(self.key, self.pieces.into()).await;
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use domain::id::ProjectId;
    use domain::time::Timestamp;
    use git::{Oid, Selection};

    use super::{GATHERED_AT_ONCE, PACK_BYTES, PackKey, Packs};

    fn selection(commits: &[u8], bases: &[u8]) -> Selection {
        let oids = |numbers: &[u8]| numbers.iter().map(|number| Oid([*number; 20])).collect();
        Selection { commits: oids(commits), bases: oids(bases), ..Selection::default() }
    }

    #[test]
    fn a_key_is_that_of_the_commits_whatever_their_order() {
        let project = ProjectId::new(Timestamp::now());
        let key = |commits: &[u8], bases: &[u8]| PackKey::of(project, &selection(commits, bases));
        assert_eq!(key(&[1, 2], &[3]), key(&[2, 1], &[3]));
        assert_ne!(key(&[1, 2], &[3]), key(&[1], &[2, 3]));
        assert_ne!(key(&[1], &[]), PackKey::of(ProjectId::new(Timestamp::now()), &selection(&[1], &[])));
    }

    #[tokio::test]
    async fn a_complete_pack_is_kept_and_one_that_is_too_large_is_not() {
        let packs = Packs::new();
        let project = ProjectId::new(Timestamp::now());
        let (small, large) =
            (PackKey::of(project, &selection(&[1], &[])), PackKey::of(project, &selection(&[2], &[])));
        let piece = Bytes::from(vec![0; PACK_BYTES / 2 + 1]);
        let gathering = packs.gather(small).and_then(|gathering| gathering.with(&piece));
        assert!(packs.find(&small).await.is_none());
        gathering.unwrap().keep().await;
        assert_eq!(packs.find(&small).await.as_deref(), Some([piece.clone()].as_slice()));
        let too_large = packs.gather(large).and_then(|gathering| gathering.with(&piece)?.with(&piece));
        assert!(too_large.is_none());
    }

    #[test]
    fn only_so_many_are_gathered_at_a_time() {
        let packs = Packs::new();
        let key = PackKey::of(ProjectId::new(Timestamp::now()), &Selection::default());
        let gathered: Vec<_> = (0..GATHERED_AT_ONCE).map(|_| packs.gather(key)).collect();
        assert!(packs.gather(key).is_none());
        drop(gathered);
        assert!(packs.gather(key).is_some());
    }
}
