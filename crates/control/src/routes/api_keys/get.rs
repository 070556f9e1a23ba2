//! Read an API key of the calling user.

use auth::actor::BrowserOnly;
use domain::Result;
use schemars::JsonSchema;
use serde::Serialize;
use store::Me;
use store::api_keys::{self, ApiKeyRecord};
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::api_keys::{KeyPath, state};

/// One key.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "GetApiKeyResponse")]
pub struct Answer {
    /// The key's record.
    api_key: ApiKeyRecord,
}

/// Reads a key that is not revoked, without its secret.
pub async fn handle(app: App, request: Request<BrowserOnly, KeyPath>) -> Result<TaggedReply<Answer>> {
    let id = request.path.key_id;
    let api_key = app.store.read(&request.call, &Me, async |tx, me| api_keys::get(tx, me, id).await).await?;
    let etag = ETag::of_json(&state(&api_key))?.into_weak();
    Ok(Reply::ok(Answer { api_key }).etag(etag))
}
