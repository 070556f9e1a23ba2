//! Outcomes of workers.

use std::fmt;

/// The end of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkerEnd<T> {
    /// It ended normally. Contains the value read from its output.
    Finished(T),
    /// It exceeded its time or processor time.
    TimedOut,
    /// It exceeded its memory.
    OutOfMemory,
    /// It exceeded its output.
    OutputTooLarge,
    /// It failed, or was killed.
    Crashed(Crash),
    /// It did nothing, because the kernel can't confine it. Contains the reason.
    Unprotected(String),
}

/// An abnormal end of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// Signal or exit code.
    pub end: CrashEnd,
    /// First line of standard error, which has the source location of a panic. Later lines are dropped: they may quote
    /// the input.
    pub message: String,
}

/// Signal or exit code of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashEnd {
    /// Number of a signal.
    Signal(i32),
    /// Exit code.
    Code(i32),
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.end)?;
        if self.message.is_empty() { Ok(()) } else { write!(f, ": {}", self.message) }
    }
}

impl fmt::Display for CrashEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Code(code) => write!(f, "exit code {code}"),
        }
    }
}
