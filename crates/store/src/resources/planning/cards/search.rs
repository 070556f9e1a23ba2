//! The search for cards in all projects of the caller (docs/design/search.md).

use std::collections::HashMap;

use auth::actor::CardRead;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::ProjectId;
use domain::people::permission::Permission;
use domain::planning::card::{CardOrder, CardPosition, CardState, ShownCard};
use domain::search::{contains_pattern, has_trigram};
use domain::{Error, Result};
use serde::Serialize;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card;
use crate::access::reachable;
use crate::access::user::User;
use crate::resources::planning::cards::filter::{CardFilter, FilteredPage, sorted};
use crate::resources::planning::cards::view;
use crate::resources::store::Tx;

const BY_TEXT: &str = include_str!("search/by_text.sql");
const BY_LETTERS: &str = include_str!("search/by_letters.sql");
const WALK: &str = include_str!("search/walk.sql");
const FILTERED: &str = include_str!("search/filtered.sql");
/// With more matches, in all projects of the deployment, the caller's own cards are read first.
const FEW_MATCHES: i64 = 1_000;
/// Cards of the caller's projects that are read, last changed first, before all matches are.
const WALKED_CARDS: usize = 10_000;

/// The text to search for.
#[derive(Clone, Debug, Serialize)]
pub struct CardSearch {
    /// Only cards whose folded name, description or resolution contains this text (`domain::search`).
    pub folded_q: String,
    /// Only open cards, or only closed cards.
    pub is_open: Option<bool>,
}

impl CardSearch {
    /// The search that a filter is, if it is by text and openness alone, last changed first.
    fn of(filter: &CardFilter) -> Option<Self> {
        let search = Self { folded_q: filter.folded_q.clone()?, is_open: filter.is_open };
        let is_usual = filter.order == CardOrder::Updated && filter.by_field.is_none();
        (filter.is_by_text() && is_usual).then_some(search)
    }
}

/// Finds cards in the caller's own projects that match a filter, as the caller sees them.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn find(
    tx: &mut Tx,
    me: &User<CardRead>,
    call: &Call<CardRead>,
    filter: &CardFilter,
    (after, rows): (Option<CardPosition>, u32),
) -> Result<Vec<ShownCard>> {
    let projects = reachable::own(tx, me, Permission::CardRead).await?;
    if projects.is_empty() {
        return Ok(Vec::new());
    }
    let projects: Vec<Uuid> = projects.into_iter().map(|project| project.0).collect();
    let named = by_key(tx, projects.clone(), filter).await?;
    if after.is_none() && !named.is_empty() {
        return view::cards(tx, call, named).await;
    }
    let ids = match (&filter.by_field, CardSearch::of(filter)) {
        (Some(order), _) => {
            let named: Vec<ProjectId> = projects.iter().copied().map(ProjectId).collect();
            sorted::page(tx, call, &named, (filter, order), (after, rows)).await?
        }
        (None, Some(search)) => PageSearch { projects, search: &search, after, rows }.run(tx).await?,
        (None, None) => {
            let named: Vec<ProjectId> = projects.iter().copied().map(ProjectId).collect();
            let page = FilteredPage::of(tx, call, &named, filter, (after, rows)).await?;
            let statement = page.statement(FILTERED).bind::<Array<SqlUuid>, _>(projects);
            let found: Vec<CardIdRow> = page.bind(statement).load(tx).await?;
            found.into_iter().map(|row| row.id).collect()
        }
    };
    view::cards(tx, call, load(tx, &ids).await?).await
}

/// The cards of projects whose key, or whose issue's key, the searched text is, as far as they pass the filter's openness; at
/// most 100. None if the filter asks for more than a text.
pub(super) async fn by_key(
    connection: &Connection,
    projects: Vec<Uuid>,
    filter: &CardFilter,
) -> Result<Vec<CardState>> {
    let (Some(key), true) = (&filter.key, filter.is_by_text()) else { return Ok(Vec::new()) };
    let found: Vec<CardIdRow> = Statement::new(include_str!("search/by_key.sql"))
        .bind::<Array<SqlUuid>, _>(projects)
        .bind::<Text, _>(key.project.as_str())
        .bind::<BigInt, _>(key.number)
        .bind::<Nullable<Bool>, _>(filter.is_open)
        .load(connection)
        .await?;
    load(connection, &found.iter().map(|row| row.id).collect::<Vec<_>>()).await
}

/// A search for a page in projects.
struct PageSearch<'a> {
    projects: Vec<Uuid>,
    search: &'a CardSearch,
    after: Option<CardPosition>,
    rows: u32,
}

/// Cards that were found, last changed first.
struct FoundPage {
    /// `true` if there are no other matches up to the last one.
    is_complete: bool,
    cards: Vec<Uuid>,
}

impl PageSearch<'_> {
    async fn run(&self, connection: &Connection) -> Result<Vec<Uuid>> {
        let matches = if has_trigram(&self.search.folded_q) { BY_TEXT } else { BY_LETTERS };
        let few = self.page(connection, matches, Some(FEW_MATCHES + 1)).await?;
        if few.is_complete {
            return Ok(few.cards);
        }
        // Matches in others' projects don't count here: their number doesn't slow down a search among few cards.
        let share = i64::try_from(WALKED_CARDS / self.projects.len().max(1)).map_err(Error::internal)?;
        let walked = self.page(connection, WALK, Some(share + i64::from(self.rows))).await?;
        if walked.is_complete || u32::try_from(walked.cards.len()).is_ok_and(|found| found == self.rows) {
            return Ok(walked.cards);
        }
        Ok(self.page(connection, matches, None).await?.cards)
    }

    /// A page of a statement, all of which share their parameters.
    async fn page(&self, connection: &Connection, sql: &'static str, most: Option<i64>) -> Result<FoundPage> {
        let Self { projects, search, after, rows } = self;
        let found: Vec<FoundRow> = Statement::new(sql)
            .bind::<Array<SqlUuid>, _>(projects)
            .bind::<Nullable<Bool>, _>(search.is_open)
            .bind::<Nullable<Timestamptz>, _>(after.as_ref().and_then(|after| after.time).map(|time| time.0))
            .bind::<Nullable<SqlUuid>, _>(after.as_ref().map(|after| after.id.0))
            .bind::<BigInt, _>(i64::from(*rows))
            .bind::<Text, _>(&search.folded_q)
            .bind::<Text, _>(contains_pattern(&search.folded_q))
            .bind::<Nullable<BigInt>, _>(most)
            .load(connection)
            .await?;
        Ok(FoundPage {
            is_complete: found.iter().any(|row| row.is_complete),
            cards: found.into_iter().filter_map(|row| row.id).collect(),
        })
    }
}

/// Cards in the order of `ids`, without those that were deleted meanwhile.
pub(super) async fn load(connection: &Connection, ids: &[Uuid]) -> Result<Vec<CardState>> {
    let states = card::load(connection, ids.to_vec()).await?;
    let mut states: HashMap<Uuid, CardState> =
        states.into_iter().map(|state| (state.card.id.0, state)).collect();
    Ok(ids.iter().filter_map(|id| states.remove(id)).collect())
}

/// A card that was found by its fields.
#[derive(QueryableByName)]
struct CardIdRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// A card; or its absence, if the page is empty.
#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(sql_type = Bool)]
    is_complete: bool,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    id: Option<Uuid>,
}
