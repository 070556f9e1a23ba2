//! Content of projects on a real database: first commits, trees, changes, and what uploads do to them; and the runs of
//! their sessions.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod attachments;
mod first_commit;
mod runs;
mod sharing;
mod trees;
mod world;
