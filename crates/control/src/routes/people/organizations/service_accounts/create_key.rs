//! Issue an API key to a service account.

use api::people::api_keys::IssuedKey;
use api::people::organizations::service_accounts::{CreateServiceAccountKey, CreateServiceAccountKeyRequest};
use auth::actor::BrowserProjectManage;
use domain::{Code, Result};
use store::people::service_accounts;
use wire::{Created, Reply, Request};

use crate::app::App;
use crate::routes::people::api_keys::create::{KeyTerms, new_key};
use crate::routes::people::api_keys::issued;
use crate::routes::target::PathTarget;

/// Issues a key, which is shown only once. It reaches the organization alone. A repeat under the same idempotency key
/// answers the same record with a new secret and invalidates the first.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, CreateServiceAccountKey>,
) -> Result<Created<IssuedKey>> {
    let (call, at) = (&request.call, request.path.target());
    let CreateServiceAccountKeyRequest { name, scopes, expires_at, test } = request.body.0;
    let new = new_key(KeyTerms { name, scopes, expires_at, test, confinement: None }, call.now)?;
    let limit = app.bounds.api_keys_per_user;
    let create =
        async |tx: &mut _, account: &_| service_accounts::create_key(tx, account, call, &new, limit).await;
    let made = app.store.create(call, &at, create).await?;
    let record = &made.value;
    let show = async |tx: &mut _, account: &_| service_accounts::set_key_secret(tx, account, record).await;
    let shown = app.store.mutate(call, &at, show).await;
    // The key exists already.
    let (record, key) = shown
        .map_err(|error| if error.code == Code::Unavailable { error.outcome_unknown() } else { error })?;
    Ok(Reply::created(made.map(|_| issued(record, &key))))
}
