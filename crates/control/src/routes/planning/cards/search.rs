//! Find cards in all projects of the caller.

use api::planning::cards::{ListCardsResponse, SearchCards};
use auth::actor::CardRead;
use domain::error::Location;
use domain::key::{CardIds, CardName};
use domain::planning::card::{CardOrder, CardPosition};
use domain::{Error, Result, Rule};
use store::Me;
use store::planning::cards::filter::CardFilter;
use store::planning::cards::search;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::planning::cards::list::{answer, filter, named};
use crate::routes::planning::cards::sort;

/// Finds the cards of all projects that the caller's list of projects has that match a filter, by default last changed
/// first.
pub async fn handle(app: App, request: Request<CardRead, SearchCards>) -> Result<Reply<ListCardsResponse>> {
    let (limit, cursor) = (request.query.limit.clone(), request.query.cursor.clone());
    if named(&request.query).any(|name| matches!(name, CardName::Key(_))) {
        // Keys are unique within an owner, and here are many.
        return Err(Error::broken("parent", Rule::format("optional-uuid-filter")).at(Location::Query));
    }
    let by_field = sort::of_user(&app, &request.call, request.query.sort.as_ref()).await?;
    let query = filter(request.query, request.call.actor.user, CardOrder::Updated, &CardIds::default())?;
    let query = CardFilter { by_field, ..query };
    let page: PageRequest<_, CardPosition> =
        PageRequest::open(&app.cursors, ("found cards", &query), limit, cursor)?;
    let found = app
        .store
        .read(&request.call, &Me, async |tx, me| {
            search::find(tx, me, &request.call, &query, (page.from.clone(), page.rows())).await
        })
        .await?;
    let (shown, meta) = page.cut(found, |shown| query.position(shown.card()))?;
    Ok(Reply::ok(answer(&shown, meta)))
}
