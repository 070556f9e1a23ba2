//! Trees that can't change any more, kept in memory: a commit's by its hash, a branch's by its revision.

use std::sync::Arc;
use std::time::Duration;

use domain::id::ProjectId;
use domain::object::{CommitHash, Tree, TreeNode};
use domain::{Error, Result};
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use uuid::Uuid;

/// Most memory that the trees take, in bytes: some ten of 100,000 objects.
const CAPACITY_BYTES: u64 = 128 * 1024 * 1024;
/// How long a tree stays that nobody asks for.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// Trees by what they are the trees of. Cheap to clone.
#[derive(Clone)]
pub(crate) struct SnapshotCache(Cache<Key, Arc<Tree>>);

/// What a tree is the tree of. What a key stands for never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// A commit of a project.
    Commit(ProjectId, CommitHash),
    /// A branch, its working changes included, at one revision.
    Branch(Uuid, i64),
}

impl SnapshotCache {
    /// An empty cache.
    pub(crate) fn new() -> Self {
        let cache = Cache::builder()
            .max_capacity(CAPACITY_BYTES)
            .weigher(|_, tree: &Arc<Tree>| weight(tree))
            // A branch's old revisions are never asked for again, however often they were.
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(IDLE)
            .build();
        Self(cache)
    }

    /// The tree of `key`; built by `build` where it is not there, once for all who ask at the same time.
    pub(crate) async fn get(
        &self,
        key: Key,
        build: impl Future<Output = Result<Arc<Tree>>>,
    ) -> Result<Arc<Tree>> {
        self.0.try_get_with(key, build).await.map_err(|shared: Arc<Error>| {
            // Others that waited for the same tree share the failure.
            let mut error = Error::new(shared.code, shared.message.clone());
            error.retry_after_secs = shared.retry_after_secs;
            error.with_source(shared)
        })
    }
}

fn weight(tree: &Tree) -> u32 {
    let texts = tree.tree.iter().map(|node| node.name.as_str().len() + node.object_type.len());
    let bytes = texts.sum::<usize>() + tree.tree.len() * size_of::<TreeNode>() + size_of::<Tree>();
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
