//! The caller's account, and signing out.

use domain::account::Account;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The calling user.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetMeResponse {
    /// The user.
    pub user: Account,
}

/// The browser tokens to end.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignOutRequest {
    /// True to end all browser tokens of the user issued until now. Defaults to false: that of the request alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub everywhere: Option<bool>,
}

/// The end of browser tokens.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignOutResponse {
    /// Always true.
    pub signed_out: bool,
    /// True if all tokens of the user ended.
    pub everywhere: bool,
}
