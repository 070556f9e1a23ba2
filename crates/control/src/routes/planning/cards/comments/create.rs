//! Comment on a card.

use api::planning::cards::comments::{CommentResponse, CreateComment, CreateCommentRequest};
use auth::actor::CardWrite;
use domain::Result;
use domain::planning::card::Comment;
use domain::planning::history::HistoryHead;
use serde::{Deserialize, Serialize};
use store::planning::cards::comments;
use wire::{Created, Reply, Request};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::history_head::expected_head;

/// The outcome that an idempotency key keeps.
#[derive(Serialize, Deserialize)]
struct CommentOutcome {
    comment: Comment,
    head: HistoryHead,
}

/// Writes a comment. It conflicts with no other change, so any head that the card had is accepted.
pub async fn handle(
    app: App,
    request: Request<CardWrite, CreateComment>,
) -> Result<Created<CommentResponse>> {
    let call = &request.call;
    let CreateCommentRequest { body, expected_history_head_id } = request.body.0;
    let expected = expected_head(&request.head, expected_history_head_id)?;
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let created = app
        .store
        .create(call, &at, async |tx, card| {
            let recorded = comments::create(tx, card, call, &body, expected).await?;
            Ok(CommentOutcome { head: recorded.head(), comment: recorded.into_value() })
        })
        .await?;
    Ok(Reply::created(created.map(|CommentOutcome { comment, head }| CommentResponse {
        comment,
        history_head_id: head.id,
        history_head_sequence: head.sequence,
    })))
}
