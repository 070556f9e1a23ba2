//! Filters of lists of cards, and the statement for a page of them.

mod boards;
pub(super) mod sorted;

use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{CardId, ProjectId, SprintId, StatusId, TagId, TeamId, UserId};
use domain::key::CardKey;
use domain::planning::card::{
    CardOrder, CardPosition, CardRecord, CardType, DueTerm, FieldOrder, Priority, ValueTerms,
};
use domain::planning::custom_field::FieldFilters;
use domain::search::contains_pattern;
use domain::time::Timestamp;
use serde::Serialize;
use time::Time;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::reachable;
use crate::resources::planning::cards::filter::boards::BoardTerms;
use crate::resources::planning::custom_fields::filter::FieldConditions;
use crate::resources::store::Tx;

/// The place after which a page begins, and its order, in `cards/list.sql` and `cards/search/filtered.sql`.
const AFTER_AND_ORDER: (&str, &str) = ("(c.updated_at, c.id) < ($33, $34)", "c.updated_at desc, c.id desc");
/// The first parameter of the tests of custom fields there.
const FIELD_PARAMETER: usize = 36;
/// Cards with a deadline are due within a week until the end of the seventh day after today, in seconds.
const WEEK_SECS: i64 = 8 * 24 * 60 * 60;

/// The cards to list. In terms, `None` is a missing value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CardFilter {
    /// Only open cards, or only closed cards.
    pub is_open: Option<bool>,
    /// Only those with all tags of `any_of`, and with none of `none_of`.
    pub tags: ValueTerms<Option<TagId>>,
    /// By assignees.
    pub assignees: ValueTerms<Option<UserId>>,
    /// Only those whose folded name, resolution or description contains this text (`domain::search`).
    pub folded_q: Option<String>,
    /// Only those that changed at this time or later.
    pub updated_since: Option<Timestamp>,
    /// By their creators.
    pub authors: ValueTerms<UserId>,
    /// Only those with a deadline at this time or later.
    pub deadline_from: Option<Timestamp>,
    /// Only those with a deadline before this time.
    pub deadline_before: Option<Timestamp>,
    /// By the days of their deadlines.
    pub due: ValueTerms<DueTerm>,
    /// By the teams on whose boards they are. A team that the caller doesn't see has no cards.
    pub teams: ValueTerms<Option<TeamId>>,
    /// By their columns. Those of a team that the caller doesn't see have no cards.
    pub statuses: ValueTerms<Option<StatusId>>,
    /// By their sprints. Those of a team that the caller doesn't see have no cards.
    pub sprints: ValueTerms<Option<SprintId>>,
    /// By priority.
    pub priorities: ValueTerms<Priority>,
    /// By type.
    pub types: ValueTerms<CardType>,
    /// By parent.
    pub parents: ValueTerms<Option<CardId>>,
    /// Only those that open cards block, or only those that none blocks. Cards that the caller doesn't see block nothing.
    pub is_blocked: Option<bool>,
    /// The key that the text is. The card that has it, if there is one, is all that a search for this text finds.
    pub key: Option<CardKey>,
    /// Tests of custom fields.
    pub fields: FieldFilters,
    /// The order.
    pub order: CardOrder,
    /// The order by custom fields, instead.
    pub by_field: Option<FieldOrder>,
}

impl CardFilter {
    /// The position of a card in the order.
    pub fn position(&self, card: &CardRecord) -> CardPosition {
        match &self.by_field {
            Some(order) => order.position(card),
            None => self.order.position(card),
        }
    }

    /// True if the filter is by other cards, which may be of other projects.
    fn names_others(&self) -> bool {
        self.is_blocked.is_some() || self.parents != ValueTerms::default()
    }

    /// True if the filter is by text and openness alone.
    pub(super) fn is_by_text(&self) -> bool {
        let alone = Self {
            is_open: self.is_open,
            folded_q: self.folded_q.clone(),
            key: self.key.clone(),
            order: self.order,
            by_field: self.by_field.clone(),
            ..Self::default()
        };
        *self == alone
    }
}

/// A page of filtered cards, with all that its statement needs to know.
pub(super) struct FilteredPage<'a> {
    filter: &'a CardFilter,
    after: Option<CardPosition>,
    rows: u32,
    /// The terms of boards that the caller sees.
    boards: BoardTerms,
    /// The other projects whose cards block the cards for the caller or are their parents, if the filter is by that.
    related: Vec<Uuid>,
    tests: FieldConditions,
    /// The beginning of today in UTC.
    today: Timestamp,
}

impl<'a> FilteredPage<'a> {
    /// The page after a position of the cards of `projects` that match a filter.
    pub(super) async fn of<P>(
        tx: &mut Tx,
        call: &Call<P>,
        projects: &[ProjectId],
        filter: &'a CardFilter,
        (after, rows): (Option<CardPosition>, u32),
    ) -> Result<Self> {
        let ids: Vec<Uuid> = projects.iter().map(|project| project.0).collect();
        let boards = BoardTerms::of(tx, call, &ids, filter).await?;
        let tests = FieldConditions::of(tx, &ids, &filter.fields).await?;
        let related = match filter.names_others() {
            true => reachable::related(tx, call, projects).await?,
            false => Vec::new(),
        };
        let today = Timestamp::from(call.now.0.replace_time(Time::MIDNIGHT));
        Ok(Self { filter, after, rows, boards, related, tests, today })
    }

    /// The statement for the page in the filter's order: the first, or one after a position of time `$33` and id `$34`. In
    /// one project, each order has an index, which a condition on a parameter would hide from PostgreSQL. Tests of custom
    /// fields are added.
    pub(super) fn statement(&self, last_changed_first: &str) -> Statement<'static> {
        let (after, order) = match self.filter.order {
            CardOrder::Newest => ("c.id < $34", "c.id desc"),
            CardOrder::Oldest => ("c.id > $34", "c.id"),
            CardOrder::Updated => AFTER_AND_ORDER,
            CardOrder::Deadline => (
                "(coalesce(c.deadline, 'infinity'::timestamptz), c.id) > (coalesce($33, 'infinity'::timestamptz), $34)",
                "coalesce(c.deadline, 'infinity'::timestamptz), c.id",
            ),
            CardOrder::Priority => (
                "(array_position('{urgent,high,medium,low,none}'::text[], c.priority) > \
                 array_position('{urgent,high,medium,low,none}'::text[], $35) or (c.priority = $35 and c.id < $34))",
                "array_position('{urgent,high,medium,low,none}'::text[], c.priority), c.id desc",
            ),
        };
        let after = if self.after.is_some() { after } else { "true" };
        let after = format!("{after}\n  {}", self.tests.sql(FIELD_PARAMETER));
        Statement::new(
            last_changed_first.replace(AFTER_AND_ORDER.0, &after).replace(AFTER_AND_ORDER.1, order),
        )
    }

    /// Binds the parameters to a statement whose first one is bound.
    pub(super) fn bind<'s>(&self, statement: Statement<'s>) -> Statement<'s> {
        self.tests.bind(self.bind_filter(statement))
    }

    /// Binds the parameters but for those of custom fields.
    fn bind_filter<'s>(&self, statement: Statement<'s>) -> Statement<'s> {
        let (filter, after) = (self.filter, self.after.as_ref());
        let statement = statement.bind::<Nullable<Bool>, _>(filter.is_open);
        let statement = bind_ids(statement, &filter.tags, |id| id.map(|id| id.0));
        let statement = bind_ids(statement, &filter.assignees, |id| id.map(|id| id.0))
            .bind::<Nullable<Text>, _>(filter.folded_q.as_deref().map(contains_pattern))
            .bind::<Nullable<Timestamptz>, _>(filter.updated_since.map(|time| time.0));
        let statement = bind_ids(statement, &filter.authors, |id| Some(id.0))
            .bind::<Nullable<Timestamptz>, _>(filter.deadline_from.map(|time| time.0))
            .bind::<Nullable<Timestamptz>, _>(filter.deadline_before.map(|time| time.0));
        let statement = bind_texts(statement, &filter.due, |due| due.as_str())
            .bind::<Timestamptz, _>(self.today.0)
            .bind::<Timestamptz, _>(self.today.plus_seconds(WEEK_SECS).0);
        let statement = self.boards.bind(statement);
        let statement = bind_texts(statement, &filter.priorities, |priority| priority.as_str());
        let statement = bind_texts(statement, &filter.types, |name| name.as_str());
        bind_ids(statement, &filter.parents, |id| id.map(|id| id.0))
            .bind::<Nullable<Bool>, _>(filter.is_blocked)
            .bind::<Array<SqlUuid>, _>(self.related.clone())
            .bind::<BigInt, _>(i64::from(self.rows))
            .bind::<Nullable<Timestamptz>, _>(after.and_then(|position| position.time).map(|time| time.0))
            .bind::<Nullable<SqlUuid>, _>(after.map(|position| position.id.0))
            .bind::<Nullable<Text>, _>(after.and_then(|position| position.priority).map(Priority::as_str))
    }
}

/// Binds the ids of terms: null for no condition, else those of which a card must have one; then those of which it must have
/// none. Null among them is a missing value.
pub(in crate::resources::planning) fn bind_ids<'s, T>(
    statement: Statement<'s>,
    terms: &ValueTerms<T>,
    id: impl Fn(&T) -> Option<Uuid>,
) -> Statement<'s> {
    let any_of: Vec<Option<Uuid>> = terms.any_of.iter().map(&id).collect();
    let none_of: Vec<Option<Uuid>> = terms.none_of.iter().map(&id).collect();
    bind_lists(statement, (!any_of.is_empty()).then_some(any_of), none_of)
}

fn bind_lists<'s>(
    statement: Statement<'s>,
    any_of: Option<Vec<Option<Uuid>>>,
    none_of: Vec<Option<Uuid>>,
) -> Statement<'s> {
    statement
        .bind::<Nullable<Array<Nullable<SqlUuid>>>, _>(any_of)
        .bind::<Array<Nullable<SqlUuid>>, _>(none_of)
}

/// As [`bind_ids`], for texts.
fn bind_texts<'s, T>(
    statement: Statement<'s>,
    terms: &ValueTerms<T>,
    text: impl Fn(&T) -> &str,
) -> Statement<'s> {
    let owned = |value: &T| text(value).to_owned();
    let any_of: Vec<String> = terms.any_of.iter().map(owned).collect();
    statement
        .bind::<Nullable<Array<Text>>, _>((!any_of.is_empty()).then_some(any_of))
        .bind::<Array<Text>, _>(terms.none_of.iter().map(owned).collect::<Vec<_>>())
}
