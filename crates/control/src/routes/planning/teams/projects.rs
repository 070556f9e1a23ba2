//! The projects that are linked to a team.

pub mod link;
pub mod list;
pub mod unlink;
