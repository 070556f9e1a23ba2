//! Uploads in pieces: the protocol and its official clients.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod clients;
mod ends;
mod interruptions;
mod lengths;
mod library;
mod parts;
mod progress;
mod protocol;
mod replacements;
mod support;
