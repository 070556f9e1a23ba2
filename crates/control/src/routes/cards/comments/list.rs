//! List a card's comments.

use auth::actor::CardRead;
use domain::Result;
use domain::card::Comment;
use domain::id::CommentId;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::Serialize;
use store::cards::comments;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::cards::CardPath;
use crate::routes::page::{PageQuery, PageRequest};

/// A page of comments, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListCommentsResponse")]
pub struct Answer {
    comments: Vec<Comment>,
    meta: PageMeta,
}

/// Lists a card's comments, oldest first.
pub async fn handle(app: App, request: Request<CardRead, CardPath, PageQuery>) -> Result<Reply<Answer>> {
    let page: PageRequest<_, CommentId> =
        request.query.open(&app.cursors, ("comments", request.path.card_id))?;
    let found = app
        .store
        .read(&request.call, &request.path.target(), async |tx, card| {
            comments::list(tx, card, page.from, page.rows()).await
        })
        .await?;
    let (comments, meta) = page.cut(found, |comment| comment.id)?;
    Ok(Reply::ok(Answer { comments, meta }))
}
