//! What uploaded files become, over HTTP: the trees and pages of real ones, and what is left of hostile ones.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod expected;
mod hostile;
mod objects;
mod support;
mod workers;
