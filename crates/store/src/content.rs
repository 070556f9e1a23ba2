//! Content of projects: Git objects, branches and working changes.

use domain::Result;
use domain::id::{ProjectId, UserId};
use domain::time::Timestamp;

use crate::transaction::Tx;

/// Snapshots of commits, immutable and therefore cached by hash.
#[derive(Clone)]
pub(crate) struct SnapshotCache;

impl SnapshotCache {
    pub(crate) fn new() -> Self {
        Self
    }
}

/// Gives a new project its branch, its reserved packages and its first commit.
pub(crate) async fn initialise(
    _tx: &mut Tx,
    _project: ProjectId,
    _creator: UserId,
    _now: Timestamp,
    _skip_initial_commit: bool,
) -> Result<()> {
    Ok(())
}
