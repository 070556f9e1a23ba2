//! Read the caller's own account.

use api::me::GetMeResponse;
use auth::actor::Authenticated;
use domain::Result;
use store::Me;
use store::identity;
use wire::{Endpoint, Reply, Request, Resource, TaggedReply, get};

use crate::app::App;

/// The endpoints of the caller's account.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/me").with([get("", "getMe", "Read the caller's account", handle)
        .tool_of_clients("account", "the account is the user's own")
        .everyday()])
}

/// Reads the account of the credential's user.
pub async fn handle(app: App, request: Request<Authenticated>) -> Result<TaggedReply<GetMeResponse>> {
    let user = app.store.read(&request.call, &Me, async |tx, me| identity::account(tx, me).await).await?;
    Ok(Reply::ok(GetMeResponse { user }).etag_of_body())
}
