//! List a service account's API keys.

use auth::actor::BrowserProjectManage;
use domain::Result;
use domain::id::ApiKeyId;
use store::service_accounts;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::api_keys::list::Answer;
use crate::routes::organizations::service_accounts::ServiceAccountPath;
use crate::routes::page::{PageQuery, PageRequest};

/// Lists the keys that are not revoked, newest first, without their secrets.
pub async fn handle(
    app: App,
    request: Request<BrowserProjectManage, ServiceAccountPath, PageQuery>,
) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let page: PageRequest<_, ApiKeyId> = request.query.open(&app.cursors, ("serviceKeys", at.account))?;
    let list = async |tx: &mut _, account: &_| {
        service_accounts::list_keys(tx, account, page.from, page.rows()).await
    };
    let found = app.store.read(&request.call, &at, list).await?;
    let (api_keys, meta) = page.cut(found, |key| key.id)?;
    Ok(Reply::ok(Answer { api_keys, meta }))
}
