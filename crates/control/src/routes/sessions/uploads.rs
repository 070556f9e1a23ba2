//! What was uploaded through a session, and is being uploaded.

pub mod get;
pub mod list;
