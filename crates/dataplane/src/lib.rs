//! The data plane: uploads and downloads of large files.
//!
//! `multipart`, `range` and `blobs` do not use the database; `routes` combines them. The binary is a thin shell around
//! this library, so that tests and benches reach its parts.

pub mod app;
pub mod attach;
pub mod blobs;
pub mod bulk;
pub mod convert;
pub mod deferred;
pub mod grant_end;
pub mod multipart;
pub mod preview;
pub mod progress;
pub mod range;
pub mod resumable;
pub mod routes;
pub mod serve;
pub mod settings;
pub mod size_limit;
pub mod slots;
pub mod stored_bytes;
pub mod sweep;
pub mod unpack;
pub mod upload_id;
pub mod uploaded_name;
