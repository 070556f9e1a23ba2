//! The console: its page and files, signing in by a ticket, and people's work in a real browser.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod agents;
mod bills;
mod browser;
mod deployed;
mod details;
mod files;
mod hostile;
mod imports;
mod journeys;
mod people;
mod planning;
mod served;
mod shapes;
mod sprints;
mod ticket;
mod types;
mod versions;
