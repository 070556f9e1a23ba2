//! People without an operator: first sign-in, organizations, invitations, members, service accounts, sharing, and what
//! operators do with accounts. One file for each concern.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod accounts;
mod addresses;
mod browser_tokens;
mod creators;
mod invitation_endings;
mod invitations;
mod mails;
mod members;
mod operators;
mod organizations;
mod outliving;
mod pictures;
mod service_accounts;
mod sharing;
mod sign_up;
mod support;
