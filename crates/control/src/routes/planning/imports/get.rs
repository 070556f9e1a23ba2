//! Read an import.

use api::planning::imports::{GetImport, ImportResponse};
use auth::actor::CardRead;
use domain::Result;
use store::ImportRef;
use store::planning::imports;
use wire::{Reply, Request};

use crate::app::App;

/// Answers an import.
pub async fn handle(app: App, request: Request<CardRead, GetImport>) -> Result<Reply<ImportResponse>> {
    let at = ImportRef { organization: request.path.org_id, import: request.path.import_id };
    let import =
        app.store.read(&request.call, &at, async |tx, import| imports::get(tx, import).await).await?;
    Ok(Reply::ok(ImportResponse { import }))
}
