//! Change the text of a comment.

use auth::actor::CardWrite;
use domain::Result;
use domain::card::CommentBody;
use domain::id::HistoryId;
use schemars::JsonSchema;
use serde::Deserialize;
use store::cards::comments::{self, CommentChange};
use wire::{Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::cards::comments::{CommentAnswer, CommentPath};
use crate::routes::cards::expected_head;

/// The new text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "UpdateCommentRequest")]
pub struct Body {
    /// Text, as Markdown.
    body: CommentBody,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    expected_history_head_id: Option<HistoryId>,
}

/// Changes one of the caller's own comments.
pub async fn handle(
    app: App,
    request: Request<CardWrite, CommentPath, NoQuery, Json<Body>>,
) -> Result<Reply<CommentAnswer>> {
    let call = &request.call;
    let Body { body, expected_history_head_id } = request.body.0;
    let expected = expected_head(&request.head, expected_history_head_id)?;
    let change = CommentChange { id: request.path.comment_id, body, expected };
    let recorded = app
        .store
        .mutate(call, &request.path.card(), async |tx, card| comments::update(tx, card, call, &change).await)
        .await?;
    let head = recorded.head();
    Ok(Reply::ok(CommentAnswer {
        comment: recorded.into_value(),
        history_head_id: head.id,
        history_head_sequence: head.sequence,
    }))
}
