//! Operations on people: accounts, sign-in, organizations, invitations, keys, the audit log.

pub mod api_keys;
pub mod audit;
pub mod invitations;
pub mod me;
pub mod organizations;
pub mod pictures;
pub mod sign_in;
