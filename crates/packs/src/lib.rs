//! A cache of sent packs, by their content. Commits never change, and clones of the same commits are frequent.
//!
//! Not here: access. It is checked each time a pack is sent.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::id::ProjectId;
use git::{Oid, PackContent};
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Capacity of the cache, in bytes.
const CACHE_BYTES: u64 = 128 * 1024 * 1024;
/// Largest pack that is cached, in bytes: some 200,000 objects.
const PACK_BYTES: usize = 64 * 1024 * 1024;
/// Most packs that are recorded at a time. Others are sent without being cached.
const RECORDINGS_MAX: usize = 2;
/// How long an unused pack stays.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// The pack cache of a process. Cheap to clone; clones share it.
#[derive(Clone)]
pub struct Packs {
    cache: Cache<PackKey, Pack>,
    recordings: Arc<Semaphore>,
}

/// A finished pack, in the pieces in which it was sent.
pub type Pack = Arc<[Bytes]>;

/// The content of a pack, in a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackKey {
    project: ProjectId,
    content: [u8; 32],
}

/// A copy of a pack that is being sent. It is cached once it is complete.
pub struct PackRecording {
    packs: Packs,
    key: PackKey,
    pieces: Vec<Bytes>,
    bytes: usize,
    _permit: OwnedSemaphorePermit,
}

impl Default for Packs {
    /// An empty cache.
    fn default() -> Self {
        let cache = Cache::builder()
            .max_capacity(CACHE_BYTES)
            .weigher(|_, pack: &Pack| {
                u32::try_from(pack.iter().map(Bytes::len).sum::<usize>()).unwrap_or(u32::MAX)
            })
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        Self { cache: cache.build(), recordings: Arc::new(Semaphore::new(RECORDINGS_MAX)) }
    }
}

impl Packs {
    /// The pack, if it is cached.
    pub async fn find(&self, key: &PackKey) -> Option<Pack> {
        self.cache.get(key).await
    }

    /// Begins to record a pack; `None` if too many others are being recorded.
    pub fn record(&self, key: PackKey) -> Option<PackRecording> {
        let permit = Arc::clone(&self.recordings).try_acquire_owned().ok()?;
        Some(PackRecording { packs: self.clone(), key, pieces: Vec::new(), bytes: 0, _permit: permit })
    }
}

impl PackKey {
    /// The key of a pack's content; the order of the lists does not matter.
    pub fn of(project: ProjectId, content: &PackContent) -> Self {
        let PackContent { commits, named_commits, bases, trees, blobs, filter } = content;
        let mut hash = Sha256::new();
        for oids in [commits, named_commits, bases, trees, blobs] {
            let mut oids: Vec<&Oid> = oids.iter().collect();
            oids.sort_unstable();
            // The count separates the lists.
            hash.update(oids.len().to_be_bytes());
            oids.into_iter().for_each(|oid| hash.update(oid.0));
        }
        for limit in [filter.levels, filter.blob_limit_bytes] {
            hash.update([u8::from(limit.is_some())]);
            hash.update(limit.unwrap_or_default().to_be_bytes());
        }
        hash.update([filter.without_commits, filter.without_trees].map(u8::from));
        Self { project, content: hash.finalize().into() }
    }
}

impl PackRecording {
    /// Adds the next piece; `None` if the pack is too large to be cached.
    #[must_use]
    pub fn with(mut self, piece: &Bytes) -> Option<Self> {
        self.bytes += piece.len();
        self.pieces.push(piece.clone());
        (self.bytes <= PACK_BYTES).then_some(self)
    }

    /// Caches the pack, which is complete.
    pub async fn keep(self) {
        self.packs.cache.insert(self.key, self.pieces.into()).await;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use bytes::Bytes;
    use domain::id::ProjectId;
    use domain::time::Clock;
    use git::{Oid, PackContent, PackFilter};

    use super::{PACK_BYTES, PackKey, Packs, RECORDINGS_MAX};

    fn content(commits: &[u8], bases: &[u8]) -> PackContent {
        let oids = |numbers: &[u8]| numbers.iter().map(|number| Oid([*number; 20])).collect();
        PackContent { commits: oids(commits), bases: oids(bases), ..PackContent::default() }
    }

    #[test]
    fn a_key_differs_with_each_part_of_the_content() {
        let project = ProjectId::new(Clock::system().now());
        let filter = |levels, blob_limit_bytes| PackContent {
            filter: PackFilter { levels, blob_limit_bytes, ..PackFilter::default() },
            ..content(&[1], &[])
        };
        let contents = [
            content(&[1], &[]),
            content(&[], &[1]),
            PackContent { trees: vec![Oid([1; 20])], ..PackContent::default() },
            PackContent { blobs: vec![Oid([1; 20])], ..PackContent::default() },
            filter(Some(0), None),
            filter(None, Some(0)),
            filter(Some(0), Some(0)),
            filter(Some(1), None),
            PackContent { named_commits: vec![Oid([1; 20])], ..content(&[1], &[]) },
            PackContent {
                filter: PackFilter { without_commits: true, ..PackFilter::default() },
                ..content(&[1], &[])
            },
        ];
        let keys: HashSet<PackKey> = contents.iter().map(|content| PackKey::of(project, content)).collect();
        assert_eq!(keys.len(), contents.len());
    }

    #[test]
    fn a_key_does_not_depend_on_the_order_of_commits() {
        let project = ProjectId::new(Clock::system().now());
        let key = |commits: &[u8], bases: &[u8]| PackKey::of(project, &content(commits, bases));
        assert_eq!(key(&[1, 2], &[3]), key(&[2, 1], &[3]));
        assert_ne!(key(&[1, 2], &[3]), key(&[1], &[2, 3]));
        assert_ne!(key(&[1], &[]), PackKey::of(ProjectId::new(Clock::system().now()), &content(&[1], &[])));
    }

    #[tokio::test]
    async fn a_complete_pack_is_cached_unless_it_is_too_large() {
        let packs = Packs::default();
        let project = ProjectId::new(Clock::system().now());
        let (small, large) =
            (PackKey::of(project, &content(&[1], &[])), PackKey::of(project, &content(&[2], &[])));
        let piece = Bytes::from(vec![0; PACK_BYTES / 2 + 1]);
        let recording = packs.record(small).and_then(|recording| recording.with(&piece));
        assert!(packs.find(&small).await.is_none());
        recording.unwrap().keep().await;
        assert_eq!(packs.find(&small).await.as_deref(), Some([piece.clone()].as_slice()));
        let too_large = packs.record(large).and_then(|recording| recording.with(&piece)?.with(&piece));
        assert!(too_large.is_none());
    }

    #[test]
    fn the_number_of_recordings_is_bounded() {
        let packs = Packs::default();
        let key = PackKey::of(ProjectId::new(Clock::system().now()), &PackContent::default());
        let recordings: Vec<_> = (0..RECORDINGS_MAX).map(|_| packs.record(key)).collect();
        assert!(packs.record(key).is_none());
        drop(recordings);
        assert!(packs.record(key).is_some());
    }
}
