//! Tick, change or move a line of a checklist. A merge patch: absent fields stay.

use api::planning::cards::checklist::{
    ChecklistItemResponse, UpdateChecklistItem, UpdateChecklistItemRequest,
};
use auth::actor::CardWrite;
use domain::{Result, patch};
use store::planning::cards::checklist::{self, ChecklistItemChanges};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected_head;

/// Changes a line, or moves it.
pub async fn handle(
    app: App,
    request: Request<CardWrite, UpdateChecklistItem>,
) -> Result<Reply<ChecklistItemResponse>> {
    let call = &request.call;
    let expected = expected_head(&request.head, request.body.0.expected_history_head_id)?;
    let changes = validate(request.body.0)?;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let id = request.path.item_id;
    let recorded = app
        .store
        .mutate(call, &at, async |tx, card| checklist::update(tx, card, call, (id, &changes), expected).await)
        .await?;
    let head = recorded.head();
    Ok(Reply::ok(ChecklistItemResponse {
        item: recorded.into_value(),
        history_head_id: head.id,
        history_head_sequence: head.sequence,
    }))
}

fn validate(body: UpdateChecklistItemRequest) -> Result<ChecklistItemChanges> {
    patch::not_empty(ChecklistItemChanges {
        text: body.text.not_cleared("text")?,
        is_done: body.is_done.or_cleared(false),
        after: body.after_item_id.nullable(),
    })
}
