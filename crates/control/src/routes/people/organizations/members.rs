//! Members of an organization: people and service accounts.

pub mod get;
pub mod list;
pub mod remove;
pub mod update;
