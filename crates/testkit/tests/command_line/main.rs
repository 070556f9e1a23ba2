//! The program `atelier` against real services: uploads that are killed, cut off and signed out, downloads, and the
//! small commands. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod agents;
mod bad_input;
mod batches;
mod bills;
mod commands;
mod content;
mod discards;
mod downloads;
mod edits;
mod executions;
mod interruptions;
mod kills;
mod messages;
mod places;
mod planning;
mod questions;
mod sign_in;
mod support;
mod twice;
mod updates;
mod uploads;
mod view;
