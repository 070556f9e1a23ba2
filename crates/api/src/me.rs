//! The caller's account.

use domain::account::Account;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The calling user.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetMeResponse {
    /// The user.
    pub user: Account,
}
