//! Work on projects over HTTP: sessions with their agents, executions of code, and tools.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod executions;
mod sessions;
mod tools;
