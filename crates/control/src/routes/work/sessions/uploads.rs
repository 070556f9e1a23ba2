//! Uploads through a session.

pub mod get;
pub mod list;
