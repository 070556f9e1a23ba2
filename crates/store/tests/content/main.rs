//! Content of projects on a real database: first commits, trees, changes, and what uploads do to them.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod attachments;
#[path = "../../../testkit/src/database.rs"]
mod database;
#[path = "../../../testkit/src/environment.rs"]
mod environment;
mod first_commit;
mod trees;
mod world;
