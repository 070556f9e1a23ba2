//! API keys of the calling user; with a browser token only.

pub mod create;
pub mod list;
pub mod revoke;
pub mod rotate;

use auth::actor::BrowserOnly;
use domain::Result;
use domain::id::ApiKeyId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::api_keys::{self, ApiKeyRecord};
use store::{Call, Me, Outcome};
use wire::{Created, Reply};

use crate::app::App;

/// The path of an operation on one key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyPath {
    /// The key's id.
    key_id: ApiKeyId,
}

/// A key, shown this once.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IssuedKey {
    /// Its record.
    api_key: ApiKeyRecord,
    /// The key itself; it is stored nowhere and can't be shown again.
    key: String,
}

/// Answers a key's creation, the first time and again: always with a fresh secret, since none is remembered.
async fn show_once(
    app: &App,
    call: &Call<BrowserOnly>,
    made: Outcome<ApiKeyRecord>,
) -> Result<Created<IssuedKey>> {
    let record = &made.value;
    let (api_key, key) =
        app.store.mutate(call, &Me, async |tx, me| api_keys::set_secret(tx, me, record).await).await?;
    Ok(Reply::created(made.map(|_| IssuedKey { api_key, key: key.reveal().to_owned() })))
}
