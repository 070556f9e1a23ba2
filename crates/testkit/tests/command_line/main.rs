//! The program `atelier` against real services: uploads that are killed, cut off and signed out, downloads, and the small
//! commands. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod agents;
mod bad_input;
mod batches;
mod commands;
mod content;
mod downloads;
mod edits;
mod interruptions;
mod kills;
mod operations;
mod places;
mod planning;
mod sign_in;
mod support;
mod updates;
mod uploads;
