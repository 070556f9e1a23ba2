//! Read a card's history.

use api::history::{HistoryQuery, ListHistoryResponse};
use auth::actor::CardRead;
use domain::Result;
use domain::id::CardId;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use store::cards::history::feed;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::history;

/// The path of a card's history.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardHistoryPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The card, which may be deleted.
    card_id: CardId,
}

/// Reads the history of a card in one of two orders. It outlives the card.
pub async fn handle(
    app: App,
    request: Request<CardRead, CardHistoryPath, HistoryQuery>,
) -> Result<Reply<ListHistoryResponse>> {
    let page = history::validate(&request.query)?;
    let CardHistoryPath { project_id, card_id } = request.path;
    let found = app
        .store
        .read(&request.call, &project_id, async |tx, project| {
            feed::list_of_card(tx, project, &request.call, card_id, page.slice()).await
        })
        .await?;
    Ok(Reply::ok(page.answer(found)?))
}
