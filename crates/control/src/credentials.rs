//! The issuers of browser tokens, and the grants that this plane signs.

pub mod grants;
pub mod issuers;
pub mod oidc;
