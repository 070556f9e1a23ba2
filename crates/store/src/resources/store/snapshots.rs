//! The cache of immutable content: trees and objects of commits, by the commit's hash, and trees of branches, by their
//! revision. The components of trees have the keys of these.

use std::sync::Arc;
use std::time::Duration;

use domain::content::bom::component::Components;
use domain::content::object::{CommitHash, Object};
use domain::id::{ObjectId, ProjectId};
use domain::{Error, Result};
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use uuid::Uuid;

use domain::content::snapshot::{Changes, DerivedSnapshot, Snapshot};

/// Memory for trees, in bytes: about ten of 100,000 objects.
const TREES_BYTES: u64 = 128 * 1024 * 1024;
/// Memory for components of trees, in bytes: those of about three designs of 100,000 objects.
const COMPONENTS_BYTES: u64 = 64 * 1024 * 1024;
/// Memory for single objects, in bytes.
const OBJECTS_BYTES: u64 = 16 * 1024 * 1024;
/// Time after which an unused entry is dropped.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// Memory of an entry for an object that a commit does not hold, in bytes.
const ABSENT_BYTES: u32 = 64;

/// The cache. Clones are cheap and share their entries.
#[derive(Clone)]
pub(crate) struct SnapshotCache {
    trees: Cache<SnapshotKey, CachedTree>,
    components: Cache<SnapshotKey, Arc<Components>>,
    objects: Cache<(ProjectId, CommitHash, ObjectId), Option<Arc<Object>>>,
}

/// The key of a tree. The tree of a key never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SnapshotKey {
    /// A commit of a project.
    Commit(ProjectId, CommitHash),
    /// A branch with its working changes, at one revision.
    Branch(Uuid, i64),
}

/// A tree, built or to be built on demand.
#[derive(Clone)]
enum CachedTree {
    Built(Arc<Snapshot>),
    Derived(Arc<DerivedSnapshot>),
}

impl SnapshotCache {
    /// An empty cache.
    pub(crate) fn new() -> Self {
        // Least recently used: a branch's old revisions are not read again, even if they were read often.
        let trees = Cache::builder()
            .max_capacity(TREES_BYTES)
            .weigher(|_, cached: &CachedTree| match cached {
                CachedTree::Built(tree) => tree.weight(),
                CachedTree::Derived(derived) => derived.weight(),
            })
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        let components = Cache::builder()
            .max_capacity(COMPONENTS_BYTES)
            .weigher(|_, components: &Arc<Components>| components.weight())
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        let objects = Cache::builder()
            .max_capacity(OBJECTS_BYTES)
            .weigher(|_, object: &Option<Arc<Object>>| object.as_deref().map_or(ABSENT_BYTES, object_weight))
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        Self { trees: trees.build(), components: components.build(), objects: objects.build() }
    }

    /// The tree of `key`; runs `build` if it is not cached, once for all concurrent callers.
    pub(crate) async fn tree(
        &self,
        key: SnapshotKey,
        build: impl Future<Output = Result<Arc<Snapshot>>>,
    ) -> Result<Arc<Snapshot>> {
        let build = async { build.await.map(CachedTree::Built) };
        let cached = self.trees.try_get_with(key, build).await.map_err(unshare)?;
        self.built(key, cached).await
    }

    /// The tree of `key`, if it is cached.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the content is corrupt.
    pub(crate) async fn find_tree(&self, key: SnapshotKey) -> Result<Option<Arc<Snapshot>>> {
        match self.trees.get(&key).await {
            Some(cached) => self.built(key, cached).await.map(Some),
            None => Ok(None),
        }
    }

    async fn built(&self, key: SnapshotKey, cached: CachedTree) -> Result<Arc<Snapshot>> {
        match cached {
            CachedTree::Built(tree) => Ok(tree),
            CachedTree::Derived(derived) => {
                let tree = Arc::new(derived.build()?);
                self.keep_tree(key, Arc::clone(&tree)).await;
                Ok(tree)
            }
        }
    }

    /// Caches the tree of `key`.
    pub(crate) async fn keep_tree(&self, key: SnapshotKey, tree: Arc<Snapshot>) {
        self.trees.insert(key, CachedTree::Built(tree)).await;
    }

    /// The components of the tree of `key`; runs `build` if they are not cached, once for all concurrent callers.
    pub(crate) async fn components(
        &self,
        key: SnapshotKey,
        build: impl Future<Output = Result<Arc<Components>>>,
    ) -> Result<Arc<Components>> {
        self.components.try_get_with(key, build).await.map_err(unshare)
    }

    /// Caches the tree of `from` and its components for `to` too; `false` if the tree is not cached.
    pub(crate) async fn copy_tree(&self, from: &SnapshotKey, to: SnapshotKey) -> bool {
        if let Some(components) = self.components.get(from).await {
            self.components.insert(to, components).await;
        }
        let Some(cached) = self.trees.get(from).await else { return false };
        self.trees.insert(to, cached).await;
        true
    }

    /// Derives the tree of `to` from that of `from`, if it is cached. The tree is built on demand.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the content is corrupt.
    pub(crate) async fn derive_tree(
        &self,
        project: ProjectId,
        from: &SnapshotKey,
        to: SnapshotKey,
        changes: Changes,
    ) -> Result<()> {
        let derived = match self.trees.get(from).await {
            None => return Ok(()),
            Some(CachedTree::Built(base)) => DerivedSnapshot::new(base, project, changes),
            Some(CachedTree::Derived(derived)) => derived.and(changes)?,
        };
        self.trees.insert(to, CachedTree::Derived(Arc::new(derived))).await;
        Ok(())
    }

    /// A cached object of a commit; `Some(None)` if the commit does not hold it.
    pub(crate) async fn find_object(&self, key: (ProjectId, CommitHash, ObjectId)) -> Option<Option<Object>> {
        Some(self.objects.get(&key).await?.map(Arc::unwrap_or_clone))
    }

    /// Caches an object of a commit; `None` if the commit does not hold it.
    pub(crate) async fn keep_object(&self, key: (ProjectId, CommitHash, ObjectId), object: Option<Object>) {
        self.objects.insert(key, object.map(Arc::new)).await;
    }
}

/// A copy of a failure that concurrent callers share.
fn unshare(shared: Arc<Error>) -> Error {
    let mut error = Error::new(shared.code, shared.message.clone());
    error.retry_after_secs = shared.retry_after_secs;
    error.with_source(shared)
}

/// Approximate memory of an object, in bytes. Most of it is its data.
fn object_weight(object: &Object) -> u32 {
    let data = serde_json::to_vec(&object.data).map_or(0, |data| data.len());
    u32::try_from(size_of::<Object>() + data).unwrap_or(u32::MAX)
}
