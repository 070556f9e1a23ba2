//! List a project's cards.

use auth::actor::CardRead;
use domain::Result;
use domain::card::{CardRecord, IndexCard, ShownCard};
use domain::id::{CardId, TagId, UserId};
use domain::page::{LimitText, PageMeta};
use domain::search::fold;
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::cards::{self, CardFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};
use crate::routes::projects::ProjectPath;

/// The filter of cards.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only open cards, or only closed ones.
    open: Option<bool>,
    /// Only cards with this tag.
    tag: Option<TagId>,
    /// Only cards assigned to this user.
    assignee: Option<UserId>,
    /// Only cards whose name, description or resolution contains this text, regardless of case.
    #[schemars(length(max = 200))]
    q: Option<String>,
    /// Only cards that changed at this time or later. Changes may be committed out of order, so clients that keep a
    /// copy read the project's history instead.
    updated_since: Option<Timestamp>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of cards, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ListCardsResponse")]
pub struct Answer {
    cards: Vec<CardRecord>,
    /// The cards with their tags, assignees and boards, in the same order.
    index_cards: Vec<IndexCard>,
    meta: PageMeta,
}

/// Lists a project's cards, newest first.
pub async fn handle(app: App, request: Request<CardRead, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let Query { open, tag, assignee, q, updated_since, limit, cursor } = request.query;
    let folded_q = page::search_text(q)?.map(|q| fold(&q));
    let query = CardFilter { is_open: open, tag, assignee, folded_q, updated_since };
    let page: PageRequest<_, CardId> =
        PageRequest::open(&app.cursors, ("cards", at.project, &query), limit, cursor)?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            cards::list(tx, project, &request.call, &query, page.from, page.rows()).await
        })
        .await?;
    let (shown, meta) = page.cut(found, |shown| shown.card().id)?;
    let cards = shown.iter().map(|shown| shown.card().clone()).collect();
    Ok(Reply::ok(Answer { cards, index_cards: shown.iter().map(ShownCard::index_card).collect(), meta }))
}
