//! Search the caller's cards.

use api::cards::{ListCardsResponse, SearchCardsQuery};
use auth::actor::CardRead;
use domain::card::{CardOrder, CardPosition, ShownCard};
use domain::error::Location;
use domain::search::fold;
use domain::{Error, Result, Rule};
use store::Me;
use store::cards::search::{self, CardSearch};
use wire::{NoPath, Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};

/// Searches the cards of all projects that the caller's list of projects has, last changed first.
pub async fn handle(
    app: App,
    request: Request<CardRead, NoPath, SearchCardsQuery>,
) -> Result<Reply<ListCardsResponse>> {
    let SearchCardsQuery { q, open, limit, cursor } = request.query;
    let q = page::search_text(Some(q))?
        .ok_or_else(|| Error::broken("q", Rule::MinLength(1)).at(Location::Query))?;
    let search = CardSearch { folded_q: fold(&q), is_open: open };
    let page: PageRequest<_, CardPosition> =
        PageRequest::open(&app.cursors, ("found cards", &search), limit, cursor)?;
    let found = app
        .store
        .read(&request.call, &Me, async |tx, me| {
            search::find(tx, me, &request.call, &search, (page.from, page.rows())).await
        })
        .await?;
    let (shown, meta) = page.cut(found, |shown| CardOrder::Updated.position(shown.card()))?;
    Ok(Reply::ok(ListCardsResponse {
        cards: shown.iter().map(|shown| shown.card().clone()).collect(),
        index_cards: shown.iter().map(ShownCard::index_card).collect(),
        meta,
    }))
}
