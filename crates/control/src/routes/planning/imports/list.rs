//! List the caller's imports.

use api::planning::imports::{ListImports, ListImportsResponse};
use auth::actor::CardRead;
use domain::Result;
use domain::id::ImportId;
use store::OwnImportsRef;
use store::planning::imports;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;

/// Lists the caller's imports in an organization, the newest first.
pub async fn handle(app: App, request: Request<CardRead, ListImports>) -> Result<Reply<ListImportsResponse>> {
    let (call, at) = (&request.call, request.path.org_id);
    let page: PageRequest<_, ImportId> = PageRequest::of(request.query, &app.cursors, ("imports", at))?;
    let list = async |tx: &mut _, own: &_| imports::list(tx, call, own, page.from, page.rows()).await;
    let found = app.store.read(call, &OwnImportsRef(at), list).await?;
    let (imports, meta) = page.cut(found, |import| import.id)?;
    Ok(Reply::ok(ListImportsResponse { imports, meta }))
}
