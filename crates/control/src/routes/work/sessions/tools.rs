//! The tools of a session.

pub mod invoke;
pub mod list;
