//! Revoke an API key, and with it its grants.

use auth::actor::BrowserOnly;
use domain::Result;
use domain::id::ApiKeyId;
use schemars::JsonSchema;
use serde::Serialize;
use store::{Me, api_keys};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::api_keys::{KeyPath, state};

/// The revoked key.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RevokeApiKeyResponse")]
pub struct Answer {
    deleted: bool,
    key_id: ApiKeyId,
}

impl Answer {
    /// The answer to the revocation of a key.
    pub fn of(key_id: ApiKeyId) -> Self {
        Self { deleted: true, key_id }
    }
}

/// Revokes a key. The key and its grants are refused from the next request on.
pub async fn handle(app: App, request: Request<BrowserOnly, KeyPath>) -> Result<Reply<Answer>> {
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
    Ok(Reply::ok(Answer::of(id)))
}
