//! Teams and everything on their boards, driven over HTTP. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod access;
mod links;
mod statuses;
mod support;
mod teams;
