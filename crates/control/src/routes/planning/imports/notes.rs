//! List what an import changed or left out.

use api::planning::imports::{ListImportNotes, ListImportNotesResponse};
use auth::actor::CardRead;
use domain::Result;
use domain::page::LimitText;
use store::ImportRef;
use store::planning::imports;
use wire::{Reply, Request};

use crate::app::App;

/// Lists the notes of an import in the order of the file.
pub async fn handle(
    app: App,
    request: Request<CardRead, ListImportNotes>,
) -> Result<Reply<ListImportNotesResponse>> {
    let at = ImportRef { organization: request.path.org_id, import: request.path.import_id };
    let limit = LimitText::read(request.query.limit.as_ref())?;
    let after = request.query.after.unwrap_or(0);
    // One more than is shown tells whether there is a next page.
    let list = async |tx: &mut _, import: &_| {
        imports::notes(tx, import, after, limit.rows().saturating_add(1)).await
    };
    let mut found = app.store.read(&request.call, &at, list).await?;
    let shown = usize::try_from(limit.rows()).unwrap_or(usize::MAX);
    let has_more = found.len() > shown;
    found.truncate(shown);
    let next_after = found.last().filter(|_| has_more).map(|(number, _)| *number);
    let notes = found.into_iter().map(|(_, note)| note).collect();
    Ok(Reply::ok(ListImportNotesResponse { notes, next_after }))
}
