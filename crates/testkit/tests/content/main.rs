//! Content of projects over HTTP: objects, working changes, commits, branches, packages, clones, and the ways in:
//! several files at once, uploads in pieces, conversions. One file or folder for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod batches;
mod bom;
mod branches;
mod bulk;
mod changes;
mod clone;
mod commits;
mod comparisons;
mod conflicts;
mod conversions;
mod crashes;
mod exports;
mod large;
mod merges;
mod model;
mod objects;
mod packages;
mod previews;
mod races;
mod replacements;
mod resumable;
mod support;
mod texts;
mod trees;
mod versions;
