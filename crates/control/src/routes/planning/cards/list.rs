//! List a project's cards.

use api::planning::cards::{ListCards, ListCardsQuery, ListCardsResponse};
use auth::actor::CardRead;
use domain::Result;
use domain::id::UserId;
use domain::key::{CardIds, CardName};
use domain::page::PageMeta;
use domain::planning::card::{CardOrder, CardPosition, CardSort, OrNone, ShownCard, TermList, ValueTerms};
use domain::search::fold;
use domain::time::DateOrTime;
use store::planning::cards;
use store::planning::cards::filter::CardFilter;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::{self, PageRequest};
use crate::routes::planning::card_names;
use crate::routes::planning::cards::sort;

/// Lists a project's cards in an order. A team or sprint that the caller doesn't see has no cards.
pub async fn handle(app: App, request: Request<CardRead, ListCards>) -> Result<Reply<ListCardsResponse>> {
    let at = &request.path.project_id;
    let (limit, cursor) = (request.query.limit.clone(), request.query.cursor.clone());
    let ids = card_names::of_project(&app, at, named(&request.query)).await?;
    let by_field = sort::of_project(&app, &request.call, at, request.query.sort.as_ref()).await?;
    let query = filter(request.query, request.call.actor.user, CardOrder::default(), &ids)?;
    let query = CardFilter { by_field, ..query };
    let page: PageRequest<_, CardPosition> =
        PageRequest::open(&app.cursors, ("cards", at.project, &query), limit, cursor)?;
    let found = app
        .store
        .read(&request.call, at, async |tx, project| {
            cards::list(tx, project, &request.call, &query, page.from.clone(), page.rows()).await
        })
        .await?;
    let (shown, meta) = page.cut(found, |shown| query.position(shown.card()))?;
    Ok(Reply::ok(answer(&shown, meta)))
}

/// The cards that a query names.
pub fn named(query: &ListCardsQuery) -> impl Iterator<Item = &CardName> {
    let parents = query.parent.iter().flat_map(|terms| terms.0.values());
    parents.filter_map(|parent| parent.0.as_ref())
}

/// The filter that a query of `caller` describes, but for an order by a custom field. Its order is `order` where it names none.
/// `ids` knows the cards that it names.
///
/// # Errors
/// `INVALID_REQUEST` for the search text.
pub fn filter(query: ListCardsQuery, caller: UserId, order: CardOrder, ids: &CardIds) -> Result<CardFilter> {
    let q = page::search_text(query.q)?;
    let key = q.as_deref().and_then(|q| q.trim().parse().ok());
    Ok(CardFilter {
        is_open: query.open,
        tags: terms(query.tag).map(|tag| tag.0),
        assignees: terms(query.assignee).map(|assignee| assignee.0.map(|user| user.of(caller))),
        folded_q: q.as_deref().map(fold),
        updated_since: query.updated_since.map(DateOrTime::start),
        authors: terms(query.author).map(|user| user.of(caller)),
        deadline_from: query.deadline_after.map(DateOrTime::start),
        deadline_before: query.deadline_before.map(DateOrTime::start),
        due: terms(query.due),
        teams: terms(query.team).map(|team| team.0),
        statuses: terms(query.status).map(|status| status.0),
        sprints: terms(query.sprint).map(|sprint| sprint.0),
        priorities: terms(query.priority),
        types: terms(query.card_type),
        parents: terms(query.parent).map(|OrNone(parent)| parent.map(|name| ids.of(&name))),
        is_blocked: query.blocked,
        key,
        fields: query.fields.unwrap_or_default(),
        order: match query.sort {
            Some(CardSort::Order(order)) => order,
            Some(CardSort::Field(_)) | None => order,
        },
        by_field: None,
    })
}

fn terms<T, const MAX: usize>(list: Option<TermList<T, MAX>>) -> ValueTerms<T> {
    list.map(|list| list.0).unwrap_or_default()
}

/// A page of cards.
pub fn answer(shown: &[ShownCard], meta: PageMeta) -> ListCardsResponse {
    ListCardsResponse {
        cards: shown.iter().map(|shown| shown.card().clone()).collect(),
        index_cards: shown.iter().map(ShownCard::index_card).collect(),
        meta,
    }
}
