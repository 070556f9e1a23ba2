//! Comment on a card.

use auth::actor::CardWrite;
use domain::Result;
use domain::card::{Comment, CommentBody};
use domain::history::Head;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::cards::comments;
use wire::{Created, Json, NoQuery, Reply, Request};

use crate::app::App;
use crate::routes::cards::CardPath;
use crate::routes::cards::comments::CommentAnswer;

/// A comment to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateCommentRequest")]
pub struct Body {
    /// What it says, as Markdown.
    body: CommentBody,
}

/// What is remembered of it.
#[derive(Serialize, Deserialize)]
struct Written {
    comment: Comment,
    head: Head,
}

/// Writes a comment. It conflicts with nothing, so that it expects no head.
pub async fn handle(
    app: App,
    request: Request<CardWrite, CardPath, NoQuery, Json<Body>>,
) -> Result<Created<CommentAnswer>> {
    let call = &request.call;
    let body = request.body.0.body;
    let created = app
        .store
        .create(call, &request.path.target(), async |tx, card| {
            let recorded = comments::create(tx, card, call, &body).await?;
            Ok(Written { head: recorded.head(), comment: recorded.into_value() })
        })
        .await?;
    Ok(Reply::created(created.map(|Written { comment, head }| CommentAnswer {
        comment,
        history_head_id: head.id,
        history_head_sequence: head.sequence,
    })))
}
