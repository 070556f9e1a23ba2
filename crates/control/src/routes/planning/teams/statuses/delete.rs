//! Delete a status column.

use api::operation::Json;
use api::planning::teams::statuses::{DeleteStatus, DeleteStatusRequest, DeleteStatusResponse};
use auth::actor::TeamWrite;
use domain::id::StatusId;
use domain::{Error, Result, Rule};
use store::planning::teams::statuses;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::teams::statuses::answer;
use crate::routes::target::PathTarget;

/// Deletes a column. Its cards move to the end of another, as if each were moved there; the caller must be able to
/// write all of them. With `If-Match` only if the column's `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<TeamWrite, DeleteStatus>,
) -> Result<Reply<DeleteStatusResponse>> {
    let call = &request.call;
    let expected = request.head.if_match()?;
    let to = destination(request.query.move_cards_to, request.body)?;
    let history_heads = app
        .store
        .mutate(call, &request.path.target(), async |tx, status| {
            wire::check_if_match(expected.as_ref(), &answer(status))?;
            statuses::delete(tx, status, call, to).await
        })
        .await?;
    Ok(Reply::ok(DeleteStatusResponse {
        deleted: true,
        status_id: request.path.status_id,
        moved_cards: history_heads.len(),
        history_heads,
    }))
}

fn destination(query: Option<StatusId>, body: Option<Json<DeleteStatusRequest>>) -> Result<Option<StatusId>> {
    let body = body.and_then(|body| body.0.move_cards_to);
    match (query, body) {
        (Some(query), Some(body)) if query != body => Err(Error::invalid(
            "moveCardsTo",
            Rule::conflict("query.moveCardsTo"),
            "differs from the query's",
        )),
        (query, body) => Ok(query.or(body)),
    }
}
