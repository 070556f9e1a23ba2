//! The search for cards that a team can place on its board (docs/api.md, section 6): open cards of linked projects whose cards
//! the caller may write, and that are not on the board.

use std::collections::{HashMap, HashSet};

use auth::actor::TeamRead;
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, HistoryId, ProjectId, TagId, TeamId};
use domain::people::permission::{Permission, Permissions};
use domain::planning::available::{AvailableTeamCard, CardCapabilities, ProjectOption};
use domain::planning::card::{BoardHeads, Effort};
use domain::planning::history::{HistoryHead, Sequence};
use domain::search::{contains_pattern, has_trigram};
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::future::join;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::linked_projects::{LinkedProjectAccess, LinkedTeam};
use crate::access::rows::card;
use crate::access::team::Team;
use crate::resources::planning::cards::view;
use crate::resources::store::Tx;

const COUNT_ALL: &str = include_str!("available/count_all.sql");
const COUNT_BY_LETTER: &str = include_str!("available/count_by_letter.sql");
const BROWSE: &str = include_str!("available/browse.sql");
const WALK: &str = include_str!("available/walk.sql");
const SEARCH_BY_LETTERS: &str = include_str!("available/search_by_letters.sql");
const SEARCH_BY_TEXT: &str = include_str!("available/search_by_text.sql");
/// Up to this many matches, one query gives count and page.
const ONE_QUERY_MATCHES: i64 = 1_000;
/// The walks that are tried in this order, before one query reads all matches.
const WALKS: [RecencyWalk; 2] =
    [RecencyWalk { beyond: ONE_QUERY_MATCHES, cards: 2_000 }, RecencyWalk { beyond: 10_000, cards: 10_000 }];

/// A page of available cards.
#[derive(Clone, Debug)]
pub struct AvailableFilter<'a> {
    /// Only those whose folded name, description or resolution contains this text (`domain::search`).
    pub folded_q: Option<&'a str>,
    /// The projects to search.
    pub projects: &'a ProjectChoice,
    /// Only those after this position.
    pub after: Option<AvailablePosition>,
    /// Most rows.
    pub rows: u32,
}

/// The linked projects to search. Ineligible projects have no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ProjectChoice {
    /// All.
    All,
    /// Only these.
    Only(Vec<ProjectId>),
    /// All but these.
    AllBut(Vec<ProjectId>),
}

/// A position in the result: the latest change first, then by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AvailablePosition {
    /// The last change of the card before it, in microseconds since 1970, which is the database's precision.
    updated_at_micros: i64,
    /// The card before it.
    id: CardId,
}

/// A search for a page along the cards that changed last, of all projects.
struct RecencyWalk {
    /// Tried if there are more matches than this.
    beyond: i64,
    /// Most cards to read.
    cards: usize,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct AvailablePage {
    /// Cards, each with the position after it.
    pub cards: Vec<(AvailableTeamCard, AvailablePosition)>,
    /// Number of cards on all pages.
    pub total: i64,
    /// Every eligible linked project, by name.
    pub projects: Vec<ProjectOption>,
}

/// Finds available cards. A caller who may not write cards finds none.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    at: &LinkedTeam<TeamRead>,
    call: &Call<TeamRead>,
    filter: &AvailableFilter<'_>,
) -> Result<AvailablePage> {
    let team = &at.team;
    let named = |project: &LinkedProjectAccess| Ok((project.name()?, project.id, project.permissions));
    let mut eligible: Vec<(Name, ProjectId, Permissions)> =
        at.projects_with(Permission::CardWrite).map(named).collect::<Result<_>>()?;
    eligible.sort_unstable_by(|(a, of_a, _), (b, of_b, _)| (a.as_str(), of_a).cmp(&(b.as_str(), of_b)));
    let chosen: HashMap<ProjectId, SearchedProject<'_>> = eligible
        .iter()
        .filter(|(_, id, _)| filter.projects.includes(*id))
        .map(|(name, id, permissions)| (*id, SearchedProject { name, permissions: *permissions }))
        .collect();
    let (rows, total) = match chosen.is_empty() {
        true => (Vec::new(), 0),
        false => Search { team, filter, projects: &chosen }.run(tx).await?,
    };
    let heads: Vec<BoardHeads> =
        rows.iter().map(|row| card::board_heads(&row.board_heads)).collect::<Result<_>>()?;
    let visible = view::boards(tx, call, &heads).await?;
    let cards = rows.into_iter().zip(heads).map(|(row, heads)| row.read(&chosen, &heads, &visible));
    let cards = cards.collect::<Result<_>>()?;
    let projects = eligible.into_iter().map(|(name, id, _)| ProjectOption { id, name }).collect();
    Ok(AvailablePage { cards, total, projects })
}

/// A project to search.
struct SearchedProject<'a> {
    name: &'a Name,
    permissions: Permissions,
}

/// A search among projects.
struct Search<'a> {
    team: &'a Team<TeamRead>,
    filter: &'a AvailableFilter<'a>,
    projects: &'a HashMap<ProjectId, SearchedProject<'a>>,
}

impl Search<'_> {
    /// A page, and the number of cards on all pages.
    async fn run(&self, connection: &Connection) -> Result<(Vec<AvailableRow>, i64)> {
        let Some(q) = self.filter.folded_q else {
            let total = self.count(connection, COUNT_ALL);
            let (total, page) = join(total, self.statement(BROWSE)?.load(connection)).await;
            return Ok((page?, total?));
        };
        let search = if has_trigram(q) { SEARCH_BY_TEXT } else { SEARCH_BY_LETTERS };
        let total = if is_letter(q) {
            self.count(connection, COUNT_BY_LETTER).await?
        } else {
            let (page, total) = self.search(connection, search, ONE_QUERY_MATCHES).await?;
            if total <= ONE_QUERY_MATCHES {
                return Ok((page, total));
            }
            total
        };
        for walk in WALKS.iter().filter(|walk| walk.beyond < total) {
            let page = self.walk(connection, walk).await?;
            // A shorter page is not complete: the rest may lie beyond the walk.
            if u32::try_from(page.len()).is_ok_and(|rows| rows == self.filter.rows) {
                return Ok((page, total));
            }
        }
        self.search(connection, search, i64::MAX).await
    }

    /// A page and the number of all matches. The page is empty if there are more than `most` matches.
    async fn search(
        &self,
        connection: &Connection,
        sql: &'static str,
        most: i64,
    ) -> Result<(Vec<AvailableRow>, i64)> {
        let statement = self.statement(sql)?.bind::<BigInt, _>(most);
        let rows: Vec<MatchRow> = statement.load(connection).await?;
        let (mut page, mut total) = (Vec::new(), 0);
        for MatchRow { total: all, card } in rows {
            total = all;
            page.extend(card);
        }
        Ok((page, total))
    }

    async fn count(&self, connection: &Connection, sql: &'static str) -> Result<i64> {
        let CountRow { total } = self.statement(sql)?.get_result(connection).await?;
        Ok(total)
    }

    async fn walk(&self, connection: &Connection, walk: &RecencyWalk) -> Result<Vec<AvailableRow>> {
        let share = i64::try_from(walk.cards / self.projects.len().max(1)).map_err(Error::internal)?;
        let statement = self.statement(WALK)?.bind::<BigInt, _>(share + i64::from(self.filter.rows));
        Ok(statement.load(connection).await?)
    }

    /// A statement with the parameters that all statements of the search share.
    fn statement(&self, sql: &'static str) -> Result<Statement<'_>> {
        let Self { team, filter, projects } = self;
        let ids: Vec<Uuid> = projects.keys().map(|project| project.0).collect();
        let after = filter.after.map(AvailablePosition::time).transpose()?;
        Ok(Statement::new(sql)
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<SqlUuid, _>(team.id().0)
            .bind::<Nullable<Timestamptz>, _>(after)
            .bind::<Nullable<SqlUuid>, _>(filter.after.map(|after| after.id.0))
            .bind::<BigInt, _>(i64::from(filter.rows))
            .bind::<Nullable<Text>, _>(filter.folded_q)
            .bind::<Nullable<Text>, _>(filter.folded_q.map(contains_pattern)))
    }
}

/// `true` for a text of one letter that the database's `card_letters` counts.
fn is_letter(folded_q: &str) -> bool {
    matches!(folded_q.as_bytes(), [b'a'..=b'z' | b'0'..=b'9'])
}

impl ProjectChoice {
    fn includes(&self, project: ProjectId) -> bool {
        match self {
            Self::All => true,
            Self::Only(these) => these.contains(&project),
            Self::AllBut(these) => !these.contains(&project),
        }
    }
}

impl AvailablePosition {
    fn time(self) -> Result<OffsetDateTime> {
        let nanos = i128::from(self.updated_at_micros) * 1_000;
        OffsetDateTime::from_unix_timestamp_nanos(nanos).map_err(Error::internal)
    }
}

fn capabilities(permissions: Permissions) -> CardCapabilities {
    CardCapabilities {
        can_read_cards: permissions.contains(Permission::CardRead),
        can_write_cards: permissions.contains(Permission::CardWrite),
        can_delete_cards: permissions.contains(Permission::CardDelete),
    }
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
}

/// A found card with the number of all matches. Without a card, there is one row with the number alone.
#[derive(QueryableByName)]
struct MatchRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    card: Option<AvailableRow>,
}

#[derive(QueryableByName)]
struct AvailableRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    updated_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    deadline: Option<OffsetDateTime>,
    #[diesel(sql_type = Integer)]
    effort: i32,
    #[diesel(sql_type = SqlUuid)]
    history_head_id: Uuid,
    #[diesel(sql_type = BigInt)]
    history_head_sequence: i64,
    #[diesel(sql_type = Jsonb)]
    board_heads: Value,
    #[diesel(sql_type = Text)]
    author_display_name: String,
    #[diesel(sql_type = Array<SqlUuid>)]
    tag_ids: Vec<Uuid>,
    #[diesel(sql_type = Jsonb)]
    assignees: Value,
    #[diesel(sql_type = Jsonb)]
    tags: Value,
}

impl AvailableRow {
    fn read(
        self,
        projects: &HashMap<ProjectId, SearchedProject<'_>>,
        heads: &BoardHeads,
        visible: &HashSet<TeamId>,
    ) -> Result<(AvailableTeamCard, AvailablePosition)> {
        let project_id = ProjectId(self.project_id);
        let project = projects
            .get(&project_id)
            .ok_or_else(|| Error::internal("the search found a card of another project"))?;
        let id = CardId(self.id);
        let micros = self.updated_at.unix_timestamp_nanos() / 1_000;
        let position =
            AvailablePosition { updated_at_micros: i64::try_from(micros).map_err(Error::internal)?, id };
        let own = HistoryHead {
            id: HistoryId(self.history_head_id),
            sequence: Sequence(self.history_head_sequence),
        };
        let card = AvailableTeamCard {
            id,
            name: decode::name(&self.name)?,
            project_id,
            project_name: project.name.clone(),
            is_open: true,
            created_at: Timestamp::from(self.created_at),
            updated_at: Timestamp::from(self.updated_at),
            deadline: self.deadline.map(Timestamp::from),
            effort: Effort::try_from(i64::from(self.effort)).map_err(Error::internal)?,
            history_head_id: heads.head(own, |team| visible.contains(&team)).id,
            author_display_name: self.author_display_name,
            assignees: serde_json::from_value(self.assignees).map_err(Error::internal)?,
            tags: serde_json::from_value(self.tags).map_err(Error::internal)?,
            tag_ids: self.tag_ids.into_iter().map(TagId).collect(),
            capabilities: capabilities(project.permissions),
        };
        Ok((card, position))
    }
}
