//! List a card's checklist.

use api::planning::cards::checklist::{ListChecklist, ListChecklistResponse};
use auth::actor::CardRead;
use domain::Result;
use store::planning::cards::checklist;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;

/// Lists the lines of a card's checklist in their order.
pub async fn handle(
    app: App,
    request: Request<CardRead, ListChecklist>,
) -> Result<Reply<ListChecklistResponse>> {
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let items = app.store.read(&request.call, &at, async |tx, card| checklist::list(tx, card).await).await?;
    Ok(Reply::ok(ListChecklistResponse { items }))
}
