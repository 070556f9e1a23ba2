//! Service accounts of an organization, and their API keys.

pub mod create;
pub mod create_key;
pub mod list_keys;
pub mod revoke_key;
