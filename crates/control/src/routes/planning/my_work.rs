//! The caller's work over all projects.

use api::planning::my_work::{GetMyWork, GetMyWorkResponse};
use auth::actor::CardRead;
use domain::Result;
use store::Me;
use store::planning::my_work::{self, MyWork};
use wire::{Endpoint, Reply, Request, endpoint};

use crate::app::App;

/// The endpoints of the caller's work.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(handle)]
}

/// Lists the caller's open cards, those that mention it, and the questions that wait for its answer.
async fn handle(app: App, request: Request<CardRead, GetMyWork>) -> Result<Reply<GetMyWorkResponse>> {
    let call = &request.call;
    let work = app.store.read(call, &Me, async |tx, me| my_work::of(tx, me, call).await).await?;
    let MyWork { cards, mentioned, has_more_mentioned, approvals, has_more } = work;
    Ok(Reply::ok(GetMyWorkResponse { cards, mentioned, has_more_mentioned, approvals, has_more }))
}
