//! Read the caller's own account.

use auth::actor::Authenticated;
use domain::Result;
use schemars::JsonSchema;
use serde::Serialize;
use store::Me;
use store::identity::{self, Account};
use wire::{Endpoint, Reply, Request, Resource, TaggedReply, get};

use crate::app::App;

/// The endpoints of the caller's account.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/me").with([get("", "getMe", "Read the caller's account", handle)
        .tool_of_clients("account", "the account is the user's own")
        .everyday()])
}

/// The calling user.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GetMeResponse")]
pub struct Answer {
    user: Account,
}

/// Reads the account of the credential's user.
pub async fn handle(app: App, request: Request<Authenticated>) -> Result<TaggedReply<Answer>> {
    let user = app.store.read(&request.call, &Me, async |tx, me| identity::account(tx, me).await).await?;
    Ok(Reply::ok(Answer { user }).etag_of_body())
}
