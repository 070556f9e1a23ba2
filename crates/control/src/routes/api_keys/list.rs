//! List the calling user's API keys.

use auth::actor::BrowserOnly;
use domain::Result;
use schemars::JsonSchema;
use serde::Serialize;
use store::Me;
use store::api_keys::{self, ApiKeyRecord};
use wire::{Reply, Request};

use crate::app::App;

/// API keys, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ListApiKeysResponse")]
pub struct Answer {
    api_keys: Vec<ApiKeyRecord>,
}

/// Lists the keys that are not revoked, newest first, without their secrets.
pub async fn handle(app: App, request: Request<BrowserOnly>) -> Result<Reply<Answer>> {
    let api_keys = app.store.read(&request.call, &Me, async |tx, me| api_keys::list(tx, me).await).await?;
    Ok(Reply::ok(Answer { api_keys }))
}
