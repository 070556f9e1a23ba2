//! Revoke an API key, and with it its grants.

use api::people::api_keys::{RevokeApiKey, RevokeApiKeyResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use store::Me;
use store::people::api_keys;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::people::api_keys::state;

/// Revokes a key. The key and its grants are refused from the next request on.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, RevokeApiKey>,
) -> Result<Reply<RevokeApiKeyResponse>> {
    let (call, id) = (&request.call, request.path.key_id);
    let expected = request.head.if_match()?;
    app.store
        .mutate(call, &Me, async |tx, me| {
            if expected.is_some() {
                let current = api_keys::hold(tx, call, id).await?;
                wire::check_if_match(expected.as_ref(), &state(&current))?;
            }
            api_keys::revoke(tx, me, call, id).await
        })
        .await?;
    Ok(Reply::ok(RevokeApiKeyResponse::of(id)))
}
