//! List a project's cards.

use auth::actor::CardRead;
use domain::Result;
use domain::card::CardRecord;
use domain::id::{CardId, TagId, UserId};
use domain::page::{Limit, PageMeta};
use domain::search::fold;
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::cards::{self, CardFilter};
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page;
use crate::routes::projects::ProjectPath;

/// Which cards.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only open, or only closed ones.
    open: Option<bool>,
    /// Only those with this tag.
    tag: Option<TagId>,
    /// Only those assigned to this user.
    assignee: Option<UserId>,
    /// Only those whose name, description or resolution holds this text, in any case.
    #[schemars(length(max = 200))]
    q: Option<String>,
    /// Only those that changed then or later. A change may be committed after a later one, so that whoever keeps a copy
    /// reads the project's history instead.
    updated_since: Option<Timestamp>,
    /// 1 to 100, 50 unless said.
    limit: Option<String>,
    /// `meta.nextCursor` of the page before.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of cards, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListCardsResponse")]
pub struct Answer {
    cards: Vec<CardRecord>,
    meta: PageMeta,
}

/// Lists a project's cards, newest first.
pub async fn handle(app: App, request: Request<CardRead, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let Query { open, tag, assignee, q, updated_since, limit, cursor } = request.query;
    let limit = Limit::parse(limit.as_deref())?;
    let folded_q = page::search_text(q)?.map(|q| fold(&q));
    let query = CardFilter { is_open: open, tag, assignee, folded_q, updated_since };
    let filter = ("cards", at.project, &query);
    let before: Option<CardId> = cursor.map(|cursor| app.cursors.open(&filter, &cursor)).transpose()?;
    let rows = page::rows_to_ask(limit);
    let found = app
        .store
        .read(&request.call, at, async |tx, project| cards::list(tx, project, &query, before, rows).await)
        .await?;
    let (cards, meta) = page::cut(&app.cursors, &filter, limit, found, |card| card.id)?;
    Ok(Reply::ok(Answer { cards, meta }))
}
