//! Several files in one request. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod archives;
mod ends;
mod existing;
mod folders;
mod progress;
mod requests;
mod support;
