//! List the calling user's API keys.

use api::people::api_keys::{ListApiKeys, ListApiKeysResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use domain::id::ApiKeyId;
use store::people::api_keys;
use store::{Me, Tx};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;

/// Lists the keys that are not revoked, newest first, without their secrets.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, ListApiKeys>,
) -> Result<Reply<ListApiKeysResponse>> {
    let page: PageRequest<_, ApiKeyId> =
        PageRequest::of(request.query, &app.cursors, ("apiKeys", request.call.actor.user))?;
    let list = async |tx: &mut Tx, me: &_| api_keys::list(tx, me, page.from, page.rows()).await;
    let found = app.store.read(&request.call, &Me, list).await?;
    let (api_keys, meta) = page.cut(found, |key| key.id)?;
    Ok(Reply::ok(ListApiKeysResponse { api_keys, meta }))
}
