//! The search for cards that a team can take onto its board: open ones of linked projects whose cards the caller may
//! write, that are not there yet (specification, "Teams").

use std::collections::HashMap;

use auth::actor::TeamRead;
use auth::permission::{Permission, Permissions};
use diesel::sql_types::{Array, BigInt, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::available::{AvailableTeamCard, CardCapabilities, ProjectOption};
use domain::card::Effort;
use domain::id::{CardId, HistoryId, ProjectId, TagId};
use domain::search::contains_pattern;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::future::join;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::linked_projects::{LinkedProjectAccess, LinkedTeam};
use crate::access::team::Team;
use crate::db::decode;
use crate::db::prelude::*;
use crate::resources::store::Tx;

const COUNT_ALL: &str = include_str!("available/count_all.sql");
const COUNT_BY_LETTER: &str = include_str!("available/count_by_letter.sql");
const BROWSE: &str = concat!(include_str!("available/browse.sql"), include_str!("available/page.sql"));
const WALK: &str = concat!(include_str!("available/walk.sql"), include_str!("available/page.sql"));
const SEARCH_BY_LETTERS: &str = concat!(
    "with found as materialized (",
    include_str!("available/found_by_letters.sql"),
    include_str!("available/found.sql"),
    "),",
    include_str!("available/search.sql"),
    include_str!("available/page.sql"),
    ") p on true order by p.updated_at desc, p.id"
);
const SEARCH_BY_TEXT: &str = concat!(
    "with found as materialized (",
    include_str!("available/found_by_text.sql"),
    include_str!("available/found.sql"),
    "),",
    include_str!("available/search.sql"),
    include_str!("available/page.sql"),
    ") p on true order by p.updated_at desc, p.id"
);
/// Of so many cards that hold a text a page is made of all of them at once.
const FEW: i64 = 1_000;
/// What is tried, one after the other, before that is done with more.
const WALKS: [RecencyWalk; 2] =
    [RecencyWalk { beyond: FEW, cards: 2_000 }, RecencyWalk { beyond: 10_000, cards: 10_000 }];
/// Letters of a word that the trigram index needs to find it by.
const TRIGRAM_CHARS: usize = 3;

/// Which cards, and from where.
#[derive(Clone, Debug)]
pub struct AvailableFilter<'a> {
    /// Only those whose name, description or resolution holds this text, which is folded (`domain::search`).
    pub folded_q: Option<&'a str>,
    /// Of which projects.
    pub projects: &'a ProjectChoice,
    /// Only those after this place.
    pub after: Option<AvailablePosition>,
    /// Most rows.
    pub rows: u32,
}

/// Of which linked projects cards are sought. Projects that are not eligible make no difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ProjectChoice {
    /// All.
    All,
    /// These alone.
    Only(Vec<ProjectId>),
    /// All but these.
    AllBut(Vec<ProjectId>),
}

/// A place in the order of the cards that are found: the latest change first, then by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AvailablePosition {
    /// When the card before it last changed, in microseconds since 1970, as exactly as the database has it.
    updated_at_micros: i64,
    /// The card before it.
    id: CardId,
}

/// A search for a page along the cards that changed last, of all projects.
struct RecencyWalk {
    /// Worth while where more cards than this hold the text.
    beyond: i64,
    /// Most cards that are looked at.
    cards: usize,
}

/// What is found.
#[derive(Clone, Debug)]
pub struct Available {
    /// Cards, each with the place after it.
    pub cards: Vec<(AvailableTeamCard, AvailablePosition)>,
    /// How many cards there are on all pages.
    pub total: i64,
    /// Every eligible linked project, by name.
    pub projects: Vec<ProjectOption>,
}

/// The cards that a filter leaves, from after a place. A caller whose credential writes no cards finds none.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, at: &LinkedTeam<TeamRead>, filter: &AvailableFilter<'_>) -> Result<Available> {
    let team = &at.team;
    let named = |project: &LinkedProjectAccess| Ok((project.name()?, project.id, project.permissions));
    let mut eligible: Vec<(Name, ProjectId, Permissions)> =
        at.projects_with(Permission::CardWrite).map(named).collect::<Result<_>>()?;
    eligible.sort_unstable_by(|(a, of_a, _), (b, of_b, _)| (a.as_str(), of_a).cmp(&(b.as_str(), of_b)));
    let chosen: HashMap<ProjectId, Chosen<'_>> = eligible
        .iter()
        .filter(|(_, id, _)| filter.projects.includes(*id))
        .map(|(name, id, permissions)| (*id, Chosen { name, permissions: *permissions }))
        .collect();
    let (cards, total) = match chosen.is_empty() {
        true => (Vec::new(), 0),
        false => Search { team, filter, projects: &chosen }.run(tx).await?,
    };
    let projects = eligible.into_iter().map(|(name, id, _)| ProjectOption { id, name }).collect();
    Ok(Available { cards, total, projects })
}

/// A project in which is searched.
struct Chosen<'a> {
    name: &'a Name,
    permissions: Permissions,
}

/// A search among projects.
struct Search<'a> {
    team: &'a Team<TeamRead>,
    filter: &'a AvailableFilter<'a>,
    projects: &'a HashMap<ProjectId, Chosen<'a>>,
}

/// Cards, each with the place after it.
type Page = Vec<(AvailableTeamCard, AvailablePosition)>;

impl Search<'_> {
    /// One page, and the number of cards on all of them.
    async fn run(&self, connection: &Connection) -> Result<(Page, i64)> {
        let Some(q) = self.filter.folded_q else {
            let total = self.count(connection, COUNT_ALL);
            let (total, page) = join(total, self.read(connection, self.statement(BROWSE)?)).await;
            return Ok((page?, total?));
        };
        let search = if has_trigram(q) { SEARCH_BY_TEXT } else { SEARCH_BY_LETTERS };
        let total = if is_letter(q) {
            self.count(connection, COUNT_BY_LETTER).await?
        } else {
            let (page, total) = self.search(connection, search, FEW).await?;
            if total <= FEW {
                return Ok((page, total));
            }
            total
        };
        for walk in WALKS.iter().filter(|walk| walk.beyond < total) {
            let page = self.walk(connection, walk).await?;
            // Else it goes on where the walk ended.
            if u32::try_from(page.len()).is_ok_and(|rows| rows == self.filter.rows) {
                return Ok((page, total));
            }
        }
        self.search(connection, search, i64::MAX).await
    }

    /// How many cards hold the text, and a page of them where they are no more than `few`.
    async fn search(&self, connection: &Connection, sql: &'static str, few: i64) -> Result<(Page, i64)> {
        let statement = self.statement(sql)?.bind::<BigInt, _>(few);
        let rows: Vec<FoundRow> = statement.load(connection).await?;
        let (mut page, mut total) = (Vec::new(), 0);
        for FoundRow { total: all, card } in rows {
            total = all;
            page.extend(card.map(|card| card.read(self.projects)).transpose()?);
        }
        Ok((page, total))
    }

    async fn count(&self, connection: &Connection, sql: &'static str) -> Result<i64> {
        let Total { total } = self.statement(sql)?.get_result(connection).await?;
        Ok(total)
    }

    async fn walk(&self, connection: &Connection, walk: &RecencyWalk) -> Result<Page> {
        let share = i64::try_from(walk.cards / self.projects.len().max(1)).map_err(Error::internal)?;
        let statement = self.statement(WALK)?.bind::<BigInt, _>(share + i64::from(self.filter.rows));
        self.read(connection, statement).await
    }

    async fn read(&self, connection: &Connection, statement: Statement<'_>) -> Result<Page> {
        let rows: Vec<Row> = statement.load(connection).await?;
        rows.into_iter().map(|row| row.read(self.projects)).collect()
    }

    /// A statement of this search: what all of them take.
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

/// Whether a text is one of the letters that `card_letters` of the database tells.
fn is_letter(folded_q: &str) -> bool {
    matches!(folded_q.as_bytes(), [b'a'..=b'z' | b'0'..=b'9'])
}

/// Whether the trigram index can find a text: it knows words alone, and of these no less than three letters.
fn has_trigram(folded_q: &str) -> bool {
    folded_q.split(|c: char| !c.is_alphanumeric()).any(|word| word.chars().count() >= TRIGRAM_CHARS)
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
struct Total {
    #[diesel(sql_type = BigInt)]
    total: i64,
}

/// A card that is found. Where none is, there is one row nevertheless.
#[derive(QueryableByName)]
struct FoundRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    card: Option<Row>,
}

#[derive(QueryableByName)]
struct Row {
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
    #[diesel(sql_type = Text)]
    author_display_name: String,
    #[diesel(sql_type = Array<SqlUuid>)]
    tag_ids: Vec<Uuid>,
    #[diesel(sql_type = Jsonb)]
    assignees: Value,
    #[diesel(sql_type = Jsonb)]
    tags: Value,
}

impl Row {
    fn read(
        self,
        projects: &HashMap<ProjectId, Chosen<'_>>,
    ) -> Result<(AvailableTeamCard, AvailablePosition)> {
        let project_id = ProjectId(self.project_id);
        let project = projects
            .get(&project_id)
            .ok_or_else(|| Error::internal("a card of a project that was not asked for"))?;
        let id = CardId(self.id);
        let micros = self.updated_at.unix_timestamp_nanos() / 1_000;
        let position =
            AvailablePosition { updated_at_micros: i64::try_from(micros).map_err(Error::internal)?, id };
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
            history_head_id: HistoryId(self.history_head_id),
            author_display_name: self.author_display_name,
            assignees: serde_json::from_value(self.assignees).map_err(Error::internal)?,
            tags: serde_json::from_value(self.tags).map_err(Error::internal)?,
            tag_ids: self.tag_ids.into_iter().map(TagId).collect(),
            capabilities: capabilities(project.permissions),
        };
        Ok((card, position))
    }
}
