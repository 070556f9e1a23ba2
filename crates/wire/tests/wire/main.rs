//! The common behaviour of all endpoints, tested with a toy plane behind a real socket.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod checks;
mod cors;
mod document;
mod envelope;
mod lifecycle;
mod logs;
mod operations;
mod raw;
mod timeouts;
mod toy;
