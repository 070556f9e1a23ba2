//! List a project's cards.

use auth::actor::CardRead;
use domain::Result;
use domain::card::{CardOrder, CardPosition, CardRecord, IndexCard, ShownCard};
use domain::id::{SprintId, TagId, TeamId, UserId};
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

/// The filter and the order of cards.
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
    /// Only cards that this user created.
    author: Option<UserId>,
    /// Only cards with a deadline at this time or later.
    deadline_after: Option<Timestamp>,
    /// Only cards with a deadline before this time.
    deadline_before: Option<Timestamp>,
    /// Only cards on this team's board.
    team: Option<TeamId>,
    /// Only cards in this sprint.
    sprint: Option<SprintId>,
    /// The order. Defaults to `newest`.
    sort: Option<CardOrder>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of cards.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ListCardsResponse")]
pub struct Answer {
    cards: Vec<CardRecord>,
    /// The cards with their tags, assignees and boards, in the same order.
    index_cards: Vec<IndexCard>,
    meta: PageMeta,
}

/// Lists a project's cards in one of four orders. A team or sprint that the caller doesn't see has no cards.
pub async fn handle(app: App, request: Request<CardRead, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let folded_q = page::search_text(request.query.q)?.map(|q| fold(&q));
    let query = CardFilter {
        is_open: request.query.open,
        tag: request.query.tag,
        assignee: request.query.assignee,
        folded_q,
        updated_since: request.query.updated_since,
        author: request.query.author,
        deadline_from: request.query.deadline_after,
        deadline_before: request.query.deadline_before,
        team: request.query.team,
        sprint: request.query.sprint,
        order: request.query.sort.unwrap_or_default(),
    };
    let filter = ("cards", at.project, &query);
    let page: PageRequest<_, CardPosition> =
        PageRequest::open(&app.cursors, filter, request.query.limit, request.query.cursor)?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            cards::list(tx, project, &request.call, &query, page.from, page.rows()).await
        })
        .await?;
    let (shown, meta) = page.cut(found, |shown| query.order.position(shown.card()))?;
    let cards = shown.iter().map(|shown| shown.card().clone()).collect();
    Ok(Reply::ok(Answer { cards, index_cards: shown.iter().map(ShownCard::index_card).collect(), meta }))
}
