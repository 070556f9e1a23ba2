//! List a card's comments.

use api::planning::cards::comments::{ListComments, ListCommentsResponse};
use auth::actor::CardRead;
use domain::Result;
use domain::id::CommentId;
use store::planning::cards::comments;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::planning::card_names;

/// Lists a card's comments, oldest first.
pub async fn handle(
    app: App,
    request: Request<CardRead, ListComments>,
) -> Result<Reply<ListCommentsResponse>> {
    let at = card_names::card(&app, &request.path.project_id, &request.path.card_id).await?;
    let page: PageRequest<_, CommentId> =
        PageRequest::of(request.query, &app.cursors, ("comments", at.card))?;
    let found = app
        .store
        .read(&request.call, &at, async |tx, card| comments::list(tx, card, page.from, page.rows()).await)
        .await?;
    let (comments, meta) = page.cut(found, |comment| comment.id)?;
    Ok(Reply::ok(ListCommentsResponse { comments, meta }))
}
