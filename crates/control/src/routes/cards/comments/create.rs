//! Comment on a card.

use auth::actor::CardWrite;
use domain::Result;
use domain::card::{Comment, CommentBody};
use domain::history::HistoryHead;
use domain::id::HistoryId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::cards::comments;
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::cards::comments::CommentAnswer;
use crate::routes::cards::{CardPath, expected_head};

/// A comment to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateCommentRequest")]
pub struct Body {
    /// Text, as Markdown.
    body: CommentBody,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    expected_history_head_id: Option<HistoryId>,
}

/// The outcome that an idempotency key keeps.
#[derive(Serialize, Deserialize)]
struct CommentOutcome {
    comment: Comment,
    head: HistoryHead,
}

/// Writes a comment. It conflicts with no other change, so any head that the card had is accepted.
pub async fn handle(
    app: App,
    request: Request<CardWrite, CardPath, NoQuery, Json<Body>>,
) -> Result<Created<CommentAnswer>> {
    let call = &request.call;
    let Body { body, expected_history_head_id } = request.body.0;
    let expected = expected_head(&request.head, expected_history_head_id)?;
    let created = app
        .store
        .create(call, &request.path.target(), async |tx, card| {
            let recorded = comments::create(tx, card, call, &body, expected).await?;
            Ok(CommentOutcome { head: recorded.head(), comment: recorded.into_value() })
        })
        .await?;
    Ok(Reply::created(created.map(|CommentOutcome { comment, head }| CommentAnswer {
        comment,
        history_head_id: head.id,
        history_head_sequence: head.sequence,
    })))
}
