//! Credentials: API keys, browser tokens, grants (`svc_gr_`).
//!
//! Pure: no I/O, no HTTP, no clock. `store` knows which credentials exist and are alive.

mod capability;

pub mod actor;
pub mod api_key;
pub mod browser_token;
pub mod calendar_secret;
pub mod credential;
pub mod grant;
pub mod invitation;
pub mod jwt;
pub mod sealing;
pub mod sign_up;
pub mod signing_key;
