//! People: accounts, organizations, members and what their roles permit, invitations, keys.

pub mod account;
pub mod api_key;
pub mod audit;
pub mod email;
pub mod invitation;
pub mod member;
pub mod organization;
pub mod permission;
pub mod picture;
pub mod role;
