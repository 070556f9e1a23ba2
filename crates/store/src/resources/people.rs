//! People: users, organizations, members, invitations, keys, service accounts, the audit log.

pub(crate) mod invitation_endings;
pub(crate) mod service_keys;

pub mod access_changes;
pub mod account_changes;
pub mod api_keys;
pub mod audit_log;
pub mod identity;
pub mod invitation_mails;
pub mod invitations;
pub mod members;
pub mod membership;
pub mod operators;
pub mod organizations;
pub mod pictures;
pub mod service_accounts;
