//! API keys of the calling user. Only browser tokens are accepted.

pub mod create;
pub mod get;
pub mod list;
pub mod revoke;
pub mod rotate;

use api::people::api_keys::IssuedKey;
use auth::actor::BrowserOnly;
use auth::api_key::ApiKey;
use domain::people::api_key::ApiKeyRecord;
use domain::{Code, Result};
use store::people::api_keys;
use store::{Call, Me, Outcome};
use wire::{ETag, Endpoint, Reply, TaggedCreated, endpoint};

use crate::app::App;

/// The endpoints of API keys.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(list::handle),
        endpoint(create::handle),
        endpoint(get::handle),
        endpoint(rotate::handle),
        endpoint(revoke::handle),
    ]
}

/// A key whose secret was just set.
pub fn issued(api_key: ApiKeyRecord, key: &ApiKey) -> IssuedKey {
    IssuedKey { api_key, key: key.reveal().into() }
}

/// The state that a key's `ETag` stands for. Its use is no change of the key, so the tag is a weak one.
fn state(key: &ApiKeyRecord) -> ApiKeyRecord {
    ApiKeyRecord { last_used_at: None, ..key.clone() }
}

/// Answers a key's creation or its replay, each time with a new secret, because none is stored.
async fn show_once(
    app: &App,
    call: &Call<BrowserOnly>,
    made: Outcome<ApiKeyRecord>,
) -> Result<TaggedCreated<IssuedKey>> {
    let record = &made.value;
    let shown = app.store.mutate(call, &Me, async |tx, me| api_keys::set_secret(tx, me, record).await).await;
    // The key exists already.
    let (api_key, key) = shown
        .map_err(|error| if error.code == Code::Unavailable { error.outcome_unknown() } else { error })?;
    let etag = ETag::of_json(&state(&api_key))?.into_weak();
    Ok(Reply::created(made.map(|_| issued(api_key, &key))).etag(etag))
}
