//! Read an API key of the calling user.

use api::people::api_keys::{GetApiKey, GetApiKeyResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use store::Me;
use store::people::api_keys;
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::people::api_keys::state;

/// Reads a key that is not revoked, without its secret.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, GetApiKey>,
) -> Result<TaggedReply<GetApiKeyResponse>> {
    let id = request.path.key_id;
    let api_key = app.store.read(&request.call, &Me, async |tx, me| api_keys::get(tx, me, id).await).await?;
    let etag = ETag::of_json(&state(&api_key))?.into_weak();
    Ok(Reply::ok(GetApiKeyResponse { api_key }).etag(etag))
}
