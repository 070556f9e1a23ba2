//! Issue an API key to a service account.

use auth::actor::BrowserProjectManage;
use auth::permission::Scope;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Code, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::service_accounts;
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::api_keys::IssuedKey;
use crate::routes::api_keys::create::{KeyTerms, new_key};
use crate::routes::organizations::service_accounts::ServiceAccountPath;

/// A key to issue.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateServiceAccountKeyRequest")]
pub struct Body {
    /// Display name.
    name: Name,
    /// Purpose of the key.
    #[schemars(length(min = 1))]
    scopes: Vec<Scope>,
    /// Expiry, at most 365 days ahead. Defaults to 90 days.
    expires_at: Option<Timestamp>,
    /// True for a test key, `svc_ak_test_...`.
    test: Option<bool>,
}

/// Issues a key, which is shown only once. It reaches the organization alone. A repeat under the same idempotency key
/// answers the same record with a new secret and invalidates the first.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, ServiceAccountPath, NoQuery, Json<Body>>,
) -> Result<Created<IssuedKey>> {
    let (call, at) = (&request.call, request.path.target());
    let Body { name, scopes, expires_at, test } = request.body.0;
    let new = new_key(KeyTerms { name, scopes, expires_at, test, confinement: None }, call.now)?;
    let limit = app.limits.api_keys;
    let create =
        async |tx: &mut _, account: &_| service_accounts::create_key(tx, account, call, &new, limit).await;
    let made = app.store.create(call, &at, create).await?;
    let record = &made.value;
    let show = async |tx: &mut _, account: &_| service_accounts::set_key_secret(tx, account, record).await;
    let shown = app.store.mutate(call, &at, show).await;
    // The key exists already.
    let (record, key) = shown
        .map_err(|error| if error.code == Code::Unavailable { error.outcome_unknown() } else { error })?;
    Ok(Reply::created(made.map(|_| IssuedKey::new(record, &key))))
}
