//! Invitations of an organization.

pub mod create;
pub mod list;
pub mod revoke;
