//! List a project's cards.

use api::cards::{ListCardsQuery, ListCardsResponse};
use auth::actor::CardRead;
use domain::Result;
use domain::card::{CardPosition, ShownCard};
use domain::search::fold;
use store::cards::{self, CardFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};
use crate::routes::projects::ProjectPath;

/// Lists a project's cards in one of four orders. A team or sprint that the caller doesn't see has no cards.
pub async fn handle(
    app: App,
    request: Request<CardRead, ProjectPath, ListCardsQuery>,
) -> Result<Reply<ListCardsResponse>> {
    let at = &request.path.project_id;
    let folded_q = page::search_text(request.query.q)?.map(|q| fold(&q));
    let query = CardFilter {
        is_open: request.query.open,
        tag: request.query.tag,
        assignee: request.query.assignee,
        folded_q,
        updated_since: request.query.updated_since,
        author: request.query.author,
        deadline_from: request.query.deadline_after,
        deadline_before: request.query.deadline_before,
        team: request.query.team,
        sprint: request.query.sprint,
        order: request.query.sort.unwrap_or_default(),
    };
    let filter = ("cards", at.project, &query);
    let page: PageRequest<_, CardPosition> =
        PageRequest::open(&app.cursors, filter, request.query.limit, request.query.cursor)?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            cards::list(tx, project, &request.call, &query, page.from, page.rows()).await
        })
        .await?;
    let (shown, meta) = page.cut(found, |shown| query.order.position(shown.card()))?;
    let cards = shown.iter().map(|shown| shown.card().clone()).collect();
    Ok(Reply::ok(ListCardsResponse {
        cards,
        index_cards: shown.iter().map(ShownCard::index_card).collect(),
        meta,
    }))
}
