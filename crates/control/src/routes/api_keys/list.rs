//! List the calling user's API keys.

use auth::actor::BrowserOnly;
use domain::Result;
use domain::id::ApiKeyId;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::api_keys::{self, ApiKeyRecord};
use store::{Me, Tx};
use wire::{NoPath, Reply, Request};

use crate::app::App;
use crate::routes::page::{PageQuery, PageRequest};

/// A page of API keys, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ListApiKeysResponse")]
pub struct Answer {
    /// The keys, without their secrets.
    pub api_keys: Vec<ApiKeyRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// Lists the keys that are not revoked, newest first, without their secrets.
pub async fn handle(app: App, request: Request<BrowserOnly, NoPath, PageQuery>) -> Result<Reply<Answer>> {
    let page: PageRequest<_, ApiKeyId> =
        request.query.open(&app.cursors, ("apiKeys", request.call.actor.user))?;
    let list = async |tx: &mut Tx, me: &_| api_keys::list(tx, me, page.from, page.rows()).await;
    let found = app.store.read(&request.call, &Me, list).await?;
    let (api_keys, meta) = page.cut(found, |key| key.id)?;
    Ok(Reply::ok(Answer { api_keys, meta }))
}
