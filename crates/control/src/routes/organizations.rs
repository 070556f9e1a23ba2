//! Organizations of the calling user.

pub mod get;
pub mod list;
