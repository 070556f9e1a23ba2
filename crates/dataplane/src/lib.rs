//! The data plane: uploads and downloads of files far larger than the control plane takes.
//!
//! `multipart`, `range` and `blobs` know nothing of the database; `routes` ties them together. A library beside the
//! small binary so that its parts can be tested and measured on their own.

pub mod app;
pub mod attach;
pub mod blobs;
pub mod convert;
pub mod grant_end;
pub mod multipart;
pub mod progress;
pub mod range;
pub mod resumable;
pub mod routes;
pub mod serve;
pub mod settings;
pub mod slots;
pub mod sweep;
pub mod upload_id;
pub mod uploaded_name;
