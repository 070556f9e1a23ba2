//! Members of a project.

pub mod list;
pub mod put;
pub mod remove;
