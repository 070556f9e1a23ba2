//! The program `atelier` against real services: uploads that are killed, cut off and signed out, downloads, and the small
//! commands. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod commands;
mod downloads;
mod interruptions;
mod operations;
mod support;
mod uploads;
