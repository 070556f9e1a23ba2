//! Read a card's history.

use api::planning::history::{CardHistoryPath, ListCardHistory, ListHistoryResponse};
use auth::actor::CardRead;
use domain::Result;
use store::planning::cards::history::feed;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::{card_names, history};

/// Reads the history of a card in one of two orders. It outlives the card.
pub async fn handle(
    app: App,
    request: Request<CardRead, ListCardHistory>,
) -> Result<Reply<ListHistoryResponse>> {
    let page = history::validate(&request.query)?;
    let CardHistoryPath { project_id, card_id } = request.path;
    let card = card_names::card(&app, &project_id, &card_id).await?.card;
    let found = app
        .store
        .read(&request.call, &project_id, async |tx, project| {
            feed::list_of_card(tx, project, &request.call, card, page.slice()).await
        })
        .await?;
    Ok(Reply::ok(page.answer(found)?))
}
