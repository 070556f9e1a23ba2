//! Cards: list, change, delete. Submodules: creation, assignees, tags, links, comments, places on boards, history.

pub mod assignees;
pub(crate) mod boards;
pub mod bulk;
pub mod checklist;
pub(crate) mod clearing;
pub mod comments;
pub(crate) mod commits;
pub mod creation;
pub mod export;
pub mod history;
pub mod keys;
pub(super) mod names;
pub mod objects;
pub mod parents;
pub mod placements;
mod refolding;
pub mod relations;
pub mod relocation;
pub mod search;
pub mod tags;
pub mod view;

use auth::actor::{CardDelete, CardRead, CardWrite};
use database::prelude::*;
use database::schema::cards;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text as SqlText, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, HistoryId, ProjectId, SprintId, TagId, TeamId, UserId};
use domain::key::CardKey;
use domain::planning::card::{
    CardChanges, CardOrder, CardPosition, CardRecord, CardState, CardType, Priority, ShownCard,
};
use domain::planning::custom_field::FieldFilters;
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::search::contains_pattern;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde::Serialize;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::access::reachable;
use crate::access::rows::card::CardStateRow;
use crate::access::rows::placement;
use crate::access::visible_teams;
use crate::resources::planning::cards::history::{Entry, Recorded};
use crate::resources::planning::cards::search::CardSearch;
use crate::resources::planning::custom_fields::filter::FieldConditions;
use crate::resources::planning::custom_fields::values;
use crate::resources::store::Tx;

/// The place after which a page begins, and its order, in `cards/list.sql` and `cards/search/filtered.sql`.
const AFTER_AND_ORDER: (&str, &str) = ("(c.updated_at, c.id) < ($13, $14)", "c.updated_at desc, c.id desc");
/// The first parameter of the tests of custom fields there.
const FIELD_PARAMETER: usize = 23;

/// The cards to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CardFilter {
    /// Only open cards, or only closed cards.
    pub is_open: Option<bool>,
    /// Only those with all of these tags, each once.
    pub tags: Vec<TagId>,
    /// Only those assigned to this user.
    pub assignee: Option<UserId>,
    /// Only those without an assignee.
    pub is_unassigned: bool,
    /// Only those whose folded name, resolution or description contains this text (`domain::search`).
    pub folded_q: Option<String>,
    /// Only those that changed at this time or later.
    pub updated_since: Option<Timestamp>,
    /// Only those that this user created.
    pub author: Option<UserId>,
    /// Only those with a deadline at this time or later.
    pub deadline_from: Option<Timestamp>,
    /// Only those with a deadline before this time.
    pub deadline_before: Option<Timestamp>,
    /// Only those on this team's board. A team that the caller doesn't see has none.
    pub team: Option<TeamId>,
    /// Only those in this sprint. A sprint of a team that the caller doesn't see has none.
    pub sprint: Option<SprintId>,
    /// Only those with one of these priorities; any if the list is empty.
    pub priorities: Vec<Priority>,
    /// Only those of one of these types; any if the list is empty.
    pub types: Vec<CardType>,
    /// Only children of this card; `Some(None)`: only cards without a parent.
    pub parent: Option<Option<CardId>>,
    /// Only those that open cards block, or only those that none blocks. Cards that the caller doesn't see block nothing.
    pub is_blocked: Option<bool>,
    /// The key that the text is. The card that has it, if there is one, is all that a search for this text finds.
    pub key: Option<CardKey>,
    /// Tests of custom fields.
    pub fields: FieldFilters,
    /// The order.
    pub order: CardOrder,
}

/// The project's cards after a position that match a filter, as the caller sees them.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    filter: &CardFilter,
    after: Option<CardPosition>,
    rows: u32,
) -> Result<Vec<ShownCard>> {
    if !visible_teams::sees_boards(tx, call, filter.team, filter.sprint).await? {
        return Ok(Vec::new());
    }
    let named = search::by_key(tx, vec![project.record.id.0], filter).await?;
    if after.is_none() && !named.is_empty() {
        return view::cards(tx, call, named).await;
    }
    let tests = FieldConditions::of(tx, &[project.record.id.0], &filter.fields).await?;
    let sql = in_order(include_str!("cards/list.sql"), filter.order, after.is_some(), &tests);
    let related = filter.related(tx, call, &[project.record.id]).await?;
    let statement = Statement::new(sql).bind::<SqlUuid, _>(project.record.id.0);
    let rows: Vec<CardStateRow> = filter.bind(statement, (after, rows), related, &tests).load(tx).await?;
    let states: Result<Vec<CardState>> = rows.into_iter().map(CardStateRow::state).collect();
    view::cards(tx, call, states?).await
}

impl CardFilter {
    /// The other projects whose cards block cards of `projects` for the caller, if the filter is by that.
    async fn related<P>(&self, tx: &mut Tx, call: &Call<P>, projects: &[ProjectId]) -> Result<Vec<Uuid>> {
        match self.is_blocked {
            Some(_) => reachable::related(tx, call, projects).await,
            None => Ok(Vec::new()),
        }
    }

    /// Binds the parameters of a filter to a statement whose first parameter is bound.
    fn bind<'a>(
        &self,
        statement: Statement<'a>,
        (after, rows): (Option<CardPosition>, u32),
        related: Vec<Uuid>,
        tests: &FieldConditions,
    ) -> Statement<'a> {
        let statement = statement
            .bind::<Nullable<Bool>, _>(self.is_open)
            .bind::<Array<SqlUuid>, _>(self.tags.iter().map(|id| id.0).collect::<Vec<_>>())
            .bind::<Nullable<SqlUuid>, _>(self.assignee.map(|id| id.0))
            .bind::<Nullable<SqlText>, _>(self.folded_q.as_deref().map(contains_pattern))
            .bind::<Nullable<Timestamptz>, _>(self.updated_since.map(|time| time.0))
            .bind::<Nullable<SqlUuid>, _>(self.author.map(|id| id.0))
            .bind::<Nullable<Timestamptz>, _>(self.deadline_from.map(|time| time.0))
            .bind::<Nullable<Timestamptz>, _>(self.deadline_before.map(|time| time.0))
            .bind::<Nullable<SqlUuid>, _>(self.team.map(|id| id.0))
            .bind::<Nullable<SqlUuid>, _>(self.sprint.map(|id| id.0))
            .bind::<BigInt, _>(i64::from(rows))
            .bind::<Nullable<Timestamptz>, _>(after.and_then(|position| position.time).map(|time| time.0))
            .bind::<Nullable<SqlUuid>, _>(after.map(|position| position.id.0))
            .bind::<Bool, _>(self.is_unassigned)
            .bind::<Nullable<SqlText>, _>(after.and_then(|position| position.priority).map(Priority::as_str))
            .bind::<Array<SqlText>, _>(self.priorities.iter().map(|one| one.as_str()).collect::<Vec<_>>())
            .bind::<Array<SqlText>, _>(
                self.types.iter().map(|one| one.as_str().to_owned()).collect::<Vec<_>>(),
            )
            .bind::<Bool, _>(self.parent == Some(None))
            .bind::<Nullable<SqlUuid>, _>(self.parent.flatten().map(|parent| parent.0))
            .bind::<Nullable<Bool>, _>(self.is_blocked)
            .bind::<Array<SqlUuid>, _>(related);
        tests.bind(statement)
    }

    /// The search that the filter is, if it is by text and openness alone, last changed first.
    fn as_search(&self) -> Option<CardSearch> {
        let search = CardSearch { folded_q: self.folded_q.clone()?, is_open: self.is_open };
        (self.is_by_text() && self.order == CardOrder::Updated).then_some(search)
    }

    /// True if the filter is by text and openness alone.
    fn is_by_text(&self) -> bool {
        let alone = Self {
            is_open: self.is_open,
            folded_q: self.folded_q.clone(),
            key: self.key.clone(),
            order: self.order,
            ..Self::default()
        };
        *self == alone
    }
}

/// The statement for a page in this order: the first, or one after a position of time `$13` and id `$14`. In one project,
/// each order has an index, which a condition on a parameter would hide from PostgreSQL. Tests of custom fields are added.
fn in_order(last_changed_first: &str, order: CardOrder, continues: bool, tests: &FieldConditions) -> String {
    let (after, order) = match order {
        CardOrder::Newest => ("c.id < $14", "c.id desc"),
        CardOrder::Oldest => ("c.id > $14", "c.id"),
        CardOrder::Updated => AFTER_AND_ORDER,
        CardOrder::Deadline => (
            "(coalesce(c.deadline, 'infinity'::timestamptz), c.id) > (coalesce($13, 'infinity'::timestamptz), $14)",
            "coalesce(c.deadline, 'infinity'::timestamptz), c.id",
        ),
        CardOrder::Priority => (
            "(array_position('{urgent,high,medium,low,none}'::text[], c.priority) > \
             array_position('{urgent,high,medium,low,none}'::text[], $16) or (c.priority = $16 and c.id < $14))",
            "array_position('{urgent,high,medium,low,none}'::text[], c.priority), c.id desc",
        ),
    };
    let after = if continues { after } else { "true" };
    let after = format!("{after}\n  {}", tests.sql(FIELD_PARAMETER));
    last_changed_first.replace(AFTER_AND_ORDER.0, &after).replace(AFTER_AND_ORDER.1, order)
}

/// Changes a card's own fields. Only values that differ are recorded.
///
/// # Errors
/// `CARD_HISTORY_CONFLICT` if one of the fields moved since the expected head; `INVALID_REQUEST` for a parent that the card can't
/// have.
pub async fn update(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    changes: &CardChanges,
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    if let Some(Some(parent)) = changes.parent() {
        parents::require(tx, card, parent).await?;
    }
    let before = &card.state.card;
    let mut after = changed(before, changes, call.now);
    if let Some(inputs) = changes.field_inputs() {
        after.fields.fields = values::changed(tx, &card.project, &before.fields.fields, inputs).await?;
    }
    let fields = before.fields.history(&after.fields);
    let transition = if after.is_open { HistoryKind::Reopened } else { HistoryKind::Closed };
    let openness = FieldChanges::none().and("is_open", before.is_open, after.is_open);
    let entries =
        [Entry::new(card.id(), HistoryKind::Updated, fields), Entry::new(card.id(), transition, openness)];
    let entries: Vec<Entry> = entries.into_iter().filter(|entry| !entry.changes.is_empty()).collect();
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    history::record(tx, card, call, entries, |state| state.card = after).await
}

/// Deletes a card with its comments, links and places on boards. Its history stays; rows record the end of each link and
/// place, and of the card.
///
/// # Errors
/// `CARD_HISTORY_CONFLICT` if the card changed since the expected head.
pub async fn delete(
    tx: &mut Tx,
    card: &Card<CardDelete>,
    call: &Call<CardDelete>,
    expected: Option<HistoryId>,
) -> Result<Recorded<()>> {
    history::require_head(tx, card, call, expected).await?;
    parents::release_children(tx, card, call).await?;
    relations::release(tx, card, call).await?;
    let (id, state) = (card.id(), &card.state);
    let ended = |kind, field, element: Uuid| {
        Entry::new(id, kind, FieldChanges::of_element(field, Some(element), None))
    };
    let placed = placement::list(tx, &[id]).await?;
    // Places come first: between the numbers of one statement's rows, a reader who sees none of the boards finds no gap.
    let mut entries: Vec<Entry> =
        placed.iter().map(|(card, place)| placements::removal(*card, place)).collect();
    entries.extend(state.user_ids.iter().map(|user| ended(HistoryKind::Unassigned, "user_id", user.0)));
    entries.extend(state.tag_ids.iter().map(|tag| ended(HistoryKind::Untagged, "tag_id", tag.0)));
    let linked = objects::list(tx, card).await?;
    entries.extend(linked.iter().map(|object| ended(HistoryKind::Unlinked, "object_id", object.0)));
    let fields = FieldChanges::none()
        .and("name", Some(&state.card.fields.name), None)
        .and("effort", Some(state.card.fields.effort), None)
        .and("is_open", Some(state.card.is_open), None);
    entries.push(Entry::new(id, HistoryKind::Deleted, fields));
    let written = history::write(tx, call, card.project.record.id, &entries).await?;
    let deleted = diesel::delete(cards::table.find(id.0)).execute(tx).await?;
    if deleted == 1 { Ok(written) } else { Err(Error::internal("a locked card is gone")) }
}

/// The card after changes.
fn changed(card: &CardRecord, changes: &CardChanges, now: Timestamp) -> CardRecord {
    let is_open = changes.is_open.unwrap_or(card.is_open);
    let closed_at = match (card.is_open, is_open) {
        (true, false) => Some(now),
        (_, true) => None,
        (false, false) => card.closed_at,
    };
    CardRecord { fields: card.fields.changed(changes), is_open, closed_at, ..card.clone() }
}
