//! Content of projects over HTTP: objects, working changes, commits and branches. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod batches;
mod branches;
mod changes;
mod commits;
mod conflicts;
mod crashes;
mod exports;
mod large;
mod merges;
mod model;
mod objects;
mod races;
mod replacements;
mod support;
mod trees;
mod versions;
