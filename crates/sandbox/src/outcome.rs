//! How a worker ended.

use std::fmt;

/// How a worker ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// It ended as it should; what was read of it.
    Finished(T),
    /// It used up its time, or its processor time.
    TimedOut,
    /// It asked for more memory than it may have.
    OutOfMemory,
    /// It wrote more than it may.
    OutputTooLarge,
    /// It failed, or was killed.
    Crashed(Crash),
    /// It did nothing, because the kernel can't confine it. Why, for people.
    Unprotected(String),
}

/// A worker that ended in no orderly way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The signal that ended it, or its exit code.
    pub end: CrashEnd,
    /// The first line that it wrote to standard error, where a panic says its place in the source. Later ones may quote
    /// what the worker was given, and are not kept.
    pub said: String,
}

/// What ended a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashEnd {
    /// A signal, by its number.
    Signal(i32),
    /// Its own exit code.
    Code(i32),
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.end)?;
        if self.said.is_empty() { Ok(()) } else { write!(f, ": {}", self.said) }
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
