//! List a card's comments.

use auth::actor::CardRead;
use domain::Result;
use domain::card::Comment;
use domain::id::CommentId;
use domain::page::{Limit, PageMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::cards::comments;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::cards::CardPath;
use crate::routes::page;

/// Which page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// 1 to 100, 50 unless said.
    limit: Option<String>,
    /// `meta.nextCursor` of the page before.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of comments, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListCommentsResponse")]
pub struct Answer {
    comments: Vec<Comment>,
    meta: PageMeta,
}

/// Lists a card's comments, oldest first.
pub async fn handle(app: App, request: Request<CardRead, CardPath, Query>) -> Result<Reply<Answer>> {
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("comments", request.path.card_id);
    let cursor = request.query.cursor.as_deref();
    let after: Option<CommentId> = cursor.map(|cursor| app.cursors.open(&filter, cursor)).transpose()?;
    let rows = page::rows_to_ask(limit);
    let found = app
        .store
        .read(&request.call, &request.path.target(), async |tx, card| {
            comments::list(tx, card, after, rows).await
        })
        .await?;
    let (comments, meta) = page::cut(&app.cursors, &filter, limit, found, |comment| comment.id)?;
    Ok(Reply::ok(Answer { comments, meta }))
}
