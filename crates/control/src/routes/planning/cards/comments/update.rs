//! Change the text of a comment.

use api::planning::cards::comments::{CommentResponse, UpdateComment, UpdateCommentRequest};
use auth::actor::CardWrite;
use domain::Result;
use store::planning::cards::comments::{self, CommentChange};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected_head;

/// Changes one of the caller's own comments.
pub async fn handle(app: App, request: Request<CardWrite, UpdateComment>) -> Result<Reply<CommentResponse>> {
    let call = &request.call;
    let UpdateCommentRequest { body, expected_history_head_id } = request.body.0;
    let expected = expected_head(&request.head, expected_history_head_id)?;
    let change = CommentChange { id: request.path.comment_id, body, expected };
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let recorded =
        app.store.mutate(call, &at, async |tx, card| comments::update(tx, card, call, &change).await).await?;
    let head = recorded.head();
    Ok(Reply::ok(CommentResponse {
        comment: recorded.into_value(),
        history_head_id: head.id,
        history_head_sequence: head.sequence,
    }))
}
