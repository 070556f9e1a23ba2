//! Credentials: those that callers present, and the grants that this plane signs.

mod authenticator;
pub mod grants;
pub mod issuers;
pub mod oidc;
pub mod sign_in;
