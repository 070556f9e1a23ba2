//! Read the caller's own account.

use api::people::me::{GetMe, GetMeResponse};
use auth::actor::Authenticated;
use domain::Result;
use store::Me;
use store::people::identity;
use wire::{Reply, Request, TaggedReply};

use crate::app::App;

/// Reads the account of the credential's user.
pub async fn handle(app: App, request: Request<Authenticated, GetMe>) -> Result<TaggedReply<GetMeResponse>> {
    let user =
        app.store.read_without_tx(&request.call, &Me, async |tx, me| identity::account(tx, me).await).await?;
    Ok(Reply::ok(GetMeResponse { user }).etag_of_body())
}
