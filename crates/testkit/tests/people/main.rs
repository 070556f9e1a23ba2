//! People without an operator: first sign-in, organizations, invitations, members, service accounts, sharing, and what
//! operators do with accounts. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod creators;
mod invitations;
mod invitation_endings;
mod mails;
mod members;
mod operators;
mod organizations;
mod service_accounts;
mod outliving;
mod sharing;
mod sign_up;
mod support;
