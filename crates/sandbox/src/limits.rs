//! What a worker may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Most of everything that one worker may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time from its start to its end.
    pub time: Duration,
    /// Processor time of all its threads together; fractions of a second are rounded up.
    pub processor_time: Duration,
    /// Address space, in bytes: its program and its threads' stacks are part of it, some 100 MiB.
    pub memory_bytes: u64,
    /// What it may write, in bytes.
    pub output_bytes: u64,
}
