//! The link against a real Redis that is wiped, killed, paused and restarted.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod engines;
mod events;
mod faults;
mod requests;
mod sessions;
mod support;
