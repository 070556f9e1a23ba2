//! The data plane: uploads and downloads of files far larger than the control plane takes.
//!
//! `multipart` and `blobs` know nothing of HTTP frameworks or the database; `routes` ties them together. A
//! library beside the small binary so that its parts can be tested and measured on their own.

pub mod blobs;
pub mod config;
pub mod multipart;
pub mod range;
pub mod sweep;
pub mod uploaded_name;
