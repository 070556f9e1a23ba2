//! Conversion of uploaded files over HTTP: trees and pages of real files, and hostile files.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod deferred;
mod expected;
mod hostile;
mod objects;
mod support;
mod workers;
