//! What can't change any more, kept in memory: the trees and objects of commits, by the commit's hash, and the trees
//! of branches, by their revision.

use std::sync::Arc;
use std::time::Duration;

use domain::id::{ObjectId, ProjectId};
use domain::object::{CommitHash, Object};
use domain::{Error, Result};
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use uuid::Uuid;

use crate::resources::content::snapshot::{Changes, Derived, Snapshot};

/// Most memory that the trees take, in bytes: some ten of 100,000 objects.
const TREES_BYTES: u64 = 128 * 1024 * 1024;
/// Most memory that single objects take, in bytes.
const OBJECTS_BYTES: u64 = 16 * 1024 * 1024;
/// How long something stays that nobody asks for.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// What it takes to know that a commit does not hold an object, in bytes.
const ABSENT_BYTES: u32 = 64;

/// Cheap to clone; the clones share what they hold.
#[derive(Clone)]
pub(crate) struct SnapshotCache {
    trees: Cache<SnapshotKey, CachedTree>,
    objects: Cache<(ProjectId, CommitHash, ObjectId), Option<Arc<Object>>>,
}

/// What a tree is the tree of. What a key stands for never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SnapshotKey {
    /// A commit of a project.
    Commit(ProjectId, CommitHash),
    /// A branch, its working changes included, at one revision.
    Branch(Uuid, i64),
}

/// What is known of a tree.
#[derive(Clone)]
enum CachedTree {
    Made(Arc<Snapshot>),
    Derived(Arc<Derived>),
}

impl SnapshotCache {
    /// An empty cache.
    pub(crate) fn new() -> Self {
        // A branch's old revisions are never asked for again, however often they were.
        let trees = Cache::builder()
            .max_capacity(TREES_BYTES)
            .weigher(|_, known: &CachedTree| match known {
                CachedTree::Made(tree) => tree.weight(),
                CachedTree::Derived(derived) => derived.weight(),
            })
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        let objects = Cache::builder()
            .max_capacity(OBJECTS_BYTES)
            .weigher(|_, object: &Option<Arc<Object>>| object.as_deref().map_or(ABSENT_BYTES, object_weight))
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE);
        Self { trees: trees.build(), objects: objects.build() }
    }

    /// The tree of `key`; built by `build` where nothing is known of it, once for all who ask at the same time.
    pub(crate) async fn tree(
        &self,
        key: SnapshotKey,
        build: impl Future<Output = Result<Arc<Snapshot>>>,
    ) -> Result<Arc<Snapshot>> {
        match self
            .trees
            .try_get_with(key, async { build.await.map(CachedTree::Made) })
            .await
            .map_err(unshare)?
        {
            CachedTree::Made(tree) => Ok(tree),
            CachedTree::Derived(derived) => {
                let tree = Arc::new(derived.make()?);
                self.keep_tree(key, Arc::clone(&tree)).await;
                Ok(tree)
            }
        }
    }

    /// Keeps the tree of `key`.
    pub(crate) async fn keep_tree(&self, key: SnapshotKey, tree: Arc<Snapshot>) {
        self.trees.insert(key, CachedTree::Made(tree)).await;
    }

    /// Lets `to` have the very tree of `from`; false where that is not known.
    pub(crate) async fn copy_tree(&self, from: &SnapshotKey, to: SnapshotKey) -> bool {
        let Some(known) = self.trees.get(from).await else { return false };
        self.trees.insert(to, known).await;
        true
    }

    /// Lets `to` have the tree of `from` with changes, where that is known. Nothing is made before somebody asks.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where the content is corrupt.
    pub(crate) async fn derive_tree(
        &self,
        project: ProjectId,
        from: &SnapshotKey,
        to: SnapshotKey,
        changes: Changes,
    ) -> Result<()> {
        let derived = match self.trees.get(from).await {
            None => return Ok(()),
            Some(CachedTree::Made(base)) => Derived::new(base, project, changes),
            Some(CachedTree::Derived(derived)) => derived.and(changes)?,
        };
        self.trees.insert(to, CachedTree::Derived(Arc::new(derived))).await;
        Ok(())
    }

    /// An object of a commit, where that is known; `Some(None)` where the commit is known not to hold it.
    pub(crate) async fn known_object(
        &self,
        key: (ProjectId, CommitHash, ObjectId),
    ) -> Option<Option<Object>> {
        Some(self.objects.get(&key).await?.map(Arc::unwrap_or_clone))
    }

    /// Keeps an object of a commit; `None` where the commit does not hold it.
    pub(crate) async fn keep_object(&self, key: (ProjectId, CommitHash, ObjectId), object: Option<Object>) {
        self.objects.insert(key, object.map(Arc::new)).await;
    }
}

/// A failure that others share who waited for the same thing.
fn unshare(shared: Arc<Error>) -> Error {
    let mut error = Error::new(shared.code, shared.message.clone());
    error.retry_after_secs = shared.retry_after_secs;
    error.with_source(shared)
}

/// About what an object takes in memory, in bytes: its properties are its bulk.
fn object_weight(object: &Object) -> u32 {
    let data = serde_json::to_vec(&object.data).map_or(0, |data| data.len());
    u32::try_from(size_of::<Object>() + data).unwrap_or(u32::MAX)
}
