//! Members of a team.

pub mod list;
pub mod put;
pub mod remove;
