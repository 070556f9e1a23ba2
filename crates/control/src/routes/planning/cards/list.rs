//! List a project's cards.

use api::planning::cards::{ListCards, ListCardsQuery, ListCardsResponse};
use auth::actor::CardRead;
use domain::Result;
use domain::id::UserId;
use domain::key::{CardIds, CardName};
use domain::page::PageMeta;
use domain::planning::card::{AssigneeFilter, CardOrder, CardPosition, ParentFilter, ShownCard};
use domain::search::fold;
use domain::time::DateOrTime;
use store::planning::cards::{self, CardFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};
use crate::routes::planning::card_names;

/// Lists a project's cards in one of four orders. A team or sprint that the caller doesn't see has no cards.
pub async fn handle(app: App, request: Request<CardRead, ListCards>) -> Result<Reply<ListCardsResponse>> {
    let at = &request.path.project_id;
    let (limit, cursor) = (request.query.limit.clone(), request.query.cursor.clone());
    let ids = card_names::of_project(&app, at, named(&request.query)).await?;
    let query = filter(request.query, request.call.actor.user, CardOrder::default(), &ids)?;
    let page: PageRequest<_, CardPosition> =
        PageRequest::open(&app.cursors, ("cards", at.project, &query), limit, cursor)?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            cards::list(tx, project, &request.call, &query, page.from, page.rows()).await
        })
        .await?;
    let (shown, meta) = page.cut(found, |shown| query.order.position(shown.card()))?;
    Ok(Reply::ok(answer(&shown, meta)))
}

/// The card that a query names.
pub fn named(query: &ListCardsQuery) -> Option<&CardName> {
    match &query.parent {
        Some(ParentFilter::Card(name)) => Some(name),
        Some(ParentFilter::None) | None => None,
    }
}

/// The filter that a query of `caller` describes. Its order is `order` where it names none. `ids` knows the card that it names.
///
/// # Errors
/// `INVALID_REQUEST` for the search text.
pub fn filter(query: ListCardsQuery, caller: UserId, order: CardOrder, ids: &CardIds) -> Result<CardFilter> {
    let mut tags = query.tag.map(|tags| tags.0).unwrap_or_default();
    tags.sort();
    tags.dedup();
    let assignee = match query.assignee {
        Some(AssigneeFilter::Me) => Some(caller),
        Some(AssigneeFilter::User(user)) => Some(user),
        Some(AssigneeFilter::None) | None => None,
    };
    let q = page::search_text(query.q)?;
    let key = q.as_deref().and_then(|q| q.trim().parse().ok());
    Ok(CardFilter {
        is_open: query.open,
        tags,
        assignee,
        is_unassigned: query.assignee == Some(AssigneeFilter::None),
        folded_q: q.as_deref().map(fold),
        updated_since: query.updated_since.map(DateOrTime::start),
        author: query.author,
        deadline_from: query.deadline_after.map(DateOrTime::start),
        deadline_before: query.deadline_before.map(DateOrTime::start),
        team: query.team,
        sprint: query.sprint,
        priorities: query.priority.map(|priorities| priorities.0).unwrap_or_default(),
        types: query.card_type.map(|types| types.0).unwrap_or_default(),
        parent: query.parent.map(|parent| match parent {
            ParentFilter::None => None,
            ParentFilter::Card(name) => Some(ids.of(&name)),
        }),
        is_blocked: query.blocked,
        key,
        fields: query.fields.unwrap_or_default(),
        order: query.sort.unwrap_or(order),
    })
}

/// A page of cards.
pub fn answer(shown: &[ShownCard], meta: PageMeta) -> ListCardsResponse {
    ListCardsResponse {
        cards: shown.iter().map(|shown| shown.card().clone()).collect(),
        index_cards: shown.iter().map(ShownCard::index_card).collect(),
        meta,
    }
}
