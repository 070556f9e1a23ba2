//! Limits that the engine passes to a worker beside the code.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits of one program.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ProgramLimits {
    /// Memory that the code may use, in bytes.
    pub(crate) memory_bytes: usize,
    /// Time that the code may take.
    pub(crate) time: Duration,
}
