//! Teams and their boards over HTTP. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod access;
mod available;
mod board;
mod conditions;
mod deletion;
mod events;
mod links;
mod placement;
mod planning;
mod privacy;
mod races;
mod report;
mod sprints;
mod statuses;
mod support;
mod teams;
