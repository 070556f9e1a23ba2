//! Read a project's card history, as a feed.

use api::planning::history::{ListHistory, ListHistoryResponse};
use auth::actor::CardRead;
use domain::Result;
use store::planning::cards::history::feed;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::history;

/// Reads the history of all cards of a project, deleted ones included, in one of two orders. Paging by `after` misses no row:
/// a row is visible only when no earlier one can still be committed.
pub async fn handle(app: App, request: Request<CardRead, ListHistory>) -> Result<Reply<ListHistoryResponse>> {
    let page = history::validate(&request.query)?;
    // Read before the snapshot of the rows.
    let horizon = app.store.history_horizon().await?;
    let found = app
        .store
        .read(&request.call, &request.path.project_id, async |tx, project| {
            feed::list_of_project(tx, project, &request.call, horizon, page.slice()).await
        })
        .await?;
    Ok(Reply::ok(page.answer(found)?))
}
