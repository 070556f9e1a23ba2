//! When the bytes of a piece are due for a checkpoint.

use std::future::pending;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// Fewest bytes between two checkpoints of a piece, and the shortest time. A crash loses the bytes of whichever takes
/// longer: a quick client sends them again as quickly, and a checkpoint makes it wait.
const CHECKPOINT_BYTES: u64 = 64 * 1024 * 1024;
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(4);

/// The bytes since the last checkpoint.
pub(super) struct Unchecked {
    bytes: u64,
    since: Instant,
}

impl Unchecked {
    /// No bytes yet.
    pub(super) fn start() -> Self {
        Self { bytes: 0, since: Instant::now() }
    }

    /// Adds bytes that were written.
    pub(super) fn add(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Returns when a checkpoint is due; never before there are enough bytes.
    pub(super) async fn due(&self) {
        if self.bytes < CHECKPOINT_BYTES {
            return pending().await;
        }
        sleep_until(self.since + CHECKPOINT_INTERVAL).await;
    }

    /// True if a checkpoint is due.
    pub(super) fn is_due(&self) -> bool {
        self.bytes >= CHECKPOINT_BYTES && self.since.elapsed() >= CHECKPOINT_INTERVAL
    }
}
