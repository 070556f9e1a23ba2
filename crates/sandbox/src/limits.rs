//! Limits on a worker's resources.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Upper bounds for one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Elapsed time from its start to its end.
    pub time: Duration,
    /// Processor time of all threads, rounded up to seconds.
    pub processor_time: Duration,
    /// Address space in bytes, including about 100 MiB for the program and its threads' stacks.
    pub memory_bytes: u64,
    /// Bytes of output.
    pub output_bytes: u64,
    /// Processors that all of its threads share, however many it starts; `None`: all of the machine's.
    pub processors: Option<usize>,
}
