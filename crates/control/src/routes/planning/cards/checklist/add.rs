//! Add a line to a checklist.

use api::planning::cards::checklist::{AddChecklistItem, AddChecklistItemRequest, ChecklistItemResponse};
use auth::actor::CardWrite;
use domain::Result;
use domain::planning::checklist::ChecklistItem;
use domain::planning::history::HistoryHead;
use serde::{Deserialize, Serialize};
use store::planning::cards::checklist::{self, NewChecklistItem};
use wire::{Created, Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected_head;

/// The outcome that an idempotency key keeps.
#[derive(Serialize, Deserialize)]
struct ChecklistOutcome {
    item: ChecklistItem,
    head: HistoryHead,
}

/// Adds a line. It conflicts with no other change, so any head that the card had is accepted.
pub async fn handle(
    app: App,
    request: Request<CardWrite, AddChecklistItem>,
) -> Result<Created<ChecklistItemResponse>> {
    let call = &request.call;
    let AddChecklistItemRequest { text, is_done, after_item_id: after, expected_history_head_id } =
        request.body.0;
    let expected = expected_head(&request.head, expected_history_head_id)?;
    let new = NewChecklistItem { text, is_done: is_done.unwrap_or_default(), after };
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let created = app
        .store
        .create(call, &at, async |tx, card| {
            let recorded = checklist::add(tx, card, call, &new, expected).await?;
            Ok(ChecklistOutcome { head: recorded.head(), item: recorded.into_value() })
        })
        .await?;
    Ok(Reply::created(created.map(|ChecklistOutcome { item, head }| ChecklistItemResponse {
        item,
        history_head_id: head.id,
        history_head_sequence: head.sequence,
    })))
}
