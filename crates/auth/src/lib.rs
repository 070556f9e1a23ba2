//! Credentials and what they may do: API keys, browser tokens, `svc_gr_` grants, scopes, roles, permissions.
//!
//! Pure: no I/O, no HTTP, no clock. Whether a credential is known and alive is `store`'s to say.

pub mod actor;
pub mod api_key;
pub mod browser_token;
pub mod credential;
pub mod grant;
pub mod jwt;
pub mod permission;
pub mod role;
pub mod sealing;
pub mod signing_key;
