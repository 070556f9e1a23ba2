//! List a service account's API keys.

use api::people::api_keys::ListApiKeysResponse;
use api::people::organizations::service_accounts::ListServiceAccountKeys;
use auth::actor::BrowserProjectManage;
use domain::Result;
use domain::id::ApiKeyId;
use store::people::service_accounts;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::target::PathTarget;

/// Lists the keys that are not revoked, newest first, without their secrets.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, ListServiceAccountKeys>,
) -> Result<Reply<ListApiKeysResponse>> {
    let at = request.path.target();
    let page: PageRequest<_, ApiKeyId> =
        PageRequest::of(request.query, &app.cursors, ("serviceKeys", at.account))?;
    let list = async |tx: &mut _, account: &_| {
        service_accounts::list_keys(tx, account, page.from, page.rows()).await
    };
    let found = app.store.read(&request.call, &at, list).await?;
    let (api_keys, meta) = page.cut(found, |key| key.id)?;
    Ok(Reply::ok(ListApiKeysResponse { api_keys, meta }))
}
