//! Attachments of cards. Their bytes go to and from the data plane.

pub mod delete;
pub mod grant;
pub mod list;
