//! Revoke a service account's API key, and with it its grants.

use api::people::api_keys::RevokeApiKeyResponse;
use api::people::organizations::service_accounts::{RevokeServiceAccountKey, ServiceKeyPath};
use auth::actor::BrowserProjectManage;
use domain::Result;
use store::ServiceAccountRef;
use store::people::service_accounts;
use wire::{Reply, Request};

use crate::app::App;

/// Revokes a key. The key and its grants are refused from the next request on.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, RevokeServiceAccountKey>,
) -> Result<Reply<RevokeApiKeyResponse>> {
    let (call, ServiceKeyPath { org_id, account_id, key_id }) = (&request.call, &request.path);
    let at = ServiceAccountRef { organization: *org_id, account: *account_id };
    let revoke =
        async |tx: &mut _, account: &_| service_accounts::revoke_key(tx, account, call, *key_id).await;
    app.store.mutate(call, &at, revoke).await?;
    Ok(Reply::ok(RevokeApiKeyResponse::of(*key_id)))
}
