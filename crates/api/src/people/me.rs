//! The caller's account, and signing out.

use domain::patch::Patch;
use domain::people::account::Account;
use domain::text::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::{operations, tags};

operations! {
    tag: tags::ACCOUNT;

    /// Answers the user's id, name and email address. Use it to check a credential, and to learn one's own id.
    GetMe = Get "/api/v2/me" {
        summary: "Read the caller's account",
        answer: GetMeResponse,
        effect: Reads,
        tool: ClientsOnly("account", "the account is the user's own"),
        also: everyday(),
    }

    /// Changes the caller's name, which others see with what the caller does, and the address in the caller's new
    /// commits. It is `{userId}@users.noreply.{host}` unless `showEmailInCommits` is true: everybody who reads a
    /// project reads the addresses in its commits. Commits keep the name and the address that they have. It takes a
    /// browser token. Streams of the caller's teams tell `members.changed`.
    UpdateMe = Patch "/api/v2/me" {
        summary: "Change the caller's account",
        body: Json<UpdateMeRequest>,
        answer: GetMeResponse,
        effect: Idempotent,
        tool: NotATool("people choose what others see of them"),
        also: conditional(),
    }

    /// Ends the browser token of the request before it expires: from then on it is `UNAUTHENTICATED`, also for a
    /// repeat. `everywhere` also ends the user's other browser tokens. API keys, grants and running jobs go on.
    SignOut = Post "/api/v2/me/sign-out" {
        summary: "End the caller's browser token",
        body: Option<Json<SignOutRequest>>,
        answer: SignOutResponse,
        effect: Changes,
        tool: NotATool("credentials are for people"),
    }
}

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
    /// Display name. The name in URLs stays.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub name: Patch<Name>,
    /// True to have the user's own address in new commits, not one that stands for it. Clearing it sets `false`.
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
