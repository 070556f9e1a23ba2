//! Blobs in a folder and in a bucket of a real S3-compatible server.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod process;
mod resumable;
mod s3_server;
mod stores;
mod sweep;
