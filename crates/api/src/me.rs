//! The caller's account, and signing out.

use domain::account::Account;
use domain::patch::Patch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The calling user.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetMeResponse {
    /// The user.
    pub user: Account,
}

/// Changes of the caller's account.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("additionalProperties" = false, "minProperties" = 1))]
pub struct UpdateMeRequest {
    /// True to have the user's own address in its new commits, instead of one that stands for it. Clearing it sets
    /// `false`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub show_email_in_commits: Patch<bool>,
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
