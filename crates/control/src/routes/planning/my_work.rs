//! The caller's work over all projects.

use api::planning::my_work::{GetMyWork, GetMyWorkResponse};
use auth::actor::CardRead;
use domain::Result;
use store::Me;
use store::planning::my_work;
use wire::{Endpoint, Reply, Request, endpoint};

use crate::app::App;

/// The endpoints of the caller's work.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(handle)]
}

/// Lists the caller's open cards, and the questions that wait for its answer.
async fn handle(app: App, request: Request<CardRead, GetMyWork>) -> Result<Reply<GetMyWorkResponse>> {
    let call = &request.call;
    let work = app.store.read(call, &Me, async |tx, me| my_work::of(tx, me, call).await).await?;
    Ok(Reply::ok(GetMyWorkResponse { cards: work.cards, approvals: work.approvals, has_more: work.has_more }))
}
