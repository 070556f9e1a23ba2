//! A team's whole board, read in one transaction: its columns, its cards, and the names that the cards refer to.

pub mod sight;

use std::collections::{HashMap, HashSet};

use auth::actor::TeamRead;
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, HistoryId, ProjectId, SprintId, StatusId, TeamId, UserId};
use domain::key::{CardKey, ProjectKey};
use domain::people::permission::Permission;
use domain::planning::board::{Board, BoardAssignee, BoardColumn, BoardTag, ColumnCard, Load, Wip};
use domain::planning::card::{BoardHeads, Effort, ValueTerms};
use domain::planning::custom_field::FieldValues;
use domain::planning::history::{HistoryHead, Sequence};
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use futures_util::future::{join3, join4};
use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::linked_projects::LinkedTeam;
use crate::access::rows::card::{self, ChecklistRow};
use crate::access::visible_teams;
use crate::resources::planning::cards::filter::bind_ids;
use crate::resources::planning::cards::names::{self, Named};
use crate::resources::planning::cards::view;
use crate::resources::planning::custom_fields;
use crate::resources::planning::teams::statuses;
use crate::resources::store::{Store, Tx};

/// The cards of a board to show.
#[derive(Clone, Debug, Default)]
pub struct BoardFilter {
    /// By their sprints on the board; `None`: the backlog.
    pub sprints: ValueTerms<Option<SprintId>>,
    /// By their projects.
    pub projects: ValueTerms<ProjectId>,
    /// By their assignees; `None`: nobody.
    pub assignees: ValueTerms<Option<UserId>>,
}

/// The other teams on whose boards the cards of a board are or were, as far as a reader sees them. The cards' heads
/// depend on them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherTeams {
    /// All of them.
    pub all: HashSet<TeamId>,
    /// Those that the reader sees.
    pub seen: HashSet<TeamId>,
}

impl OtherTeams {
    /// The same teams, as the caller sees them now.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn seen_by(&self, store: &Store, call: &Call<TeamRead>) -> Result<Self> {
        let all = self.all.clone();
        if all.is_empty() {
            return Ok(Self::default());
        }
        let seen = visible_teams::among(&store.connection().await?, call, all.iter().copied()).await?;
        Ok(Self { all, seen })
    }
}

/// The board with the cards that the caller can read, and the other teams of these.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get(
    tx: &mut Tx,
    at: &LinkedTeam<TeamRead>,
    call: &Call<TeamRead>,
    filter: &BoardFilter,
) -> Result<(Board, OtherTeams)> {
    let team = at.team.id();
    let mut projects: HashMap<Uuid, BoardProject> = HashMap::new();
    for project in at.projects_with(Permission::CardRead) {
        projects.insert(project.id.0, BoardProject { name: project.name()?, key: project.key()? });
    }
    let readable: Vec<Uuid> = projects.keys().copied().collect();
    let (statuses, loads, fields, rows) = join4(
        statuses::of_team(tx, team),
        loads(tx, team, readable.clone()),
        custom_fields::shown(tx, &readable),
        card_rows(tx, team, (readable.clone(), at.related_projects()), filter),
    )
    .await;
    let (statuses, loads, fields, rows) = (statuses?, loads?, fields?, rows?);
    let heads: Vec<BoardHeads> =
        rows.iter().map(|row| card::board_heads(&row.board_heads)).collect::<Result<_>>()?;
    let values: Vec<FieldValues> = rows.iter().map(BoardCardRow::values).collect::<Result<_>>()?;
    let users: Vec<Uuid> =
        values.iter().flat_map(|values| values.users(&fields)).map(|(_, user)| user.0).collect();
    let (visible, assignees, tags) = join3(
        view::boards(tx, call, &heads),
        names::assignees(tx, rows.iter().flat_map(|row| &row.user_ids).chain(&users)),
        names::tags(tx, rows.iter().flat_map(|row| &row.tag_ids)),
    )
    .await;
    let (visible, names) = (visible?, BoardNames { projects, assignees: assignees?, tags: tags? });
    let others = OtherTeams {
        all: heads.iter().flat_map(BoardHeads::teams).filter(|other| *other != team).collect(),
        seen: visible.iter().copied().filter(|other| *other != team).collect(),
    };
    let mut cards: HashMap<StatusId, Vec<ColumnCard>> = HashMap::new();
    for ((row, heads), values) in rows.into_iter().zip(heads).zip(values) {
        let column = cards.entry(StatusId(row.status_id)).or_default();
        column.push(row.read((&heads, values), |team| visible.contains(&team), &names)?);
    }
    let columns = statuses.into_iter().map(|status| {
        let load = loads.get(&status.id).copied().unwrap_or_default();
        BoardColumn {
            card_count: load.cards,
            effort: load.effort,
            wip_exceeded: Wip::of(&status).is_some_and(|wip| wip.is_exceeded_by(load)),
            cards: cards.remove(&status.id).unwrap_or_default(),
            status,
        }
    });
    let field_users = names.assignees.of(&users.into_iter().collect::<HashSet<_>>());
    Ok((Board { team_id: team, columns: columns.collect(), fields, field_users }, others))
}

/// The work in each column that has cards, whether they pass a filter or not.
async fn loads(
    connection: &Connection,
    team: TeamId,
    projects: Vec<Uuid>,
) -> Result<HashMap<StatusId, Load>> {
    let rows: Vec<ColumnLoadRow> = Statement::new(include_str!("boards/loads.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Array<SqlUuid>, _>(projects)
        .load(connection)
        .await?;
    let load = |row: ColumnLoadRow| (StatusId(row.status_id), Load { cards: row.cards, effort: row.effort });
    Ok(rows.into_iter().map(load).collect())
}

/// The cards of `projects` that pass the filter, those of a column in their order. Cards of `related` can block them.
async fn card_rows(
    connection: &Connection,
    team: TeamId,
    (projects, related): (Vec<Uuid>, Vec<Uuid>),
    filter: &BoardFilter,
) -> Result<Vec<BoardCardRow>> {
    let statement = Statement::new(include_str!("boards/cards.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Array<SqlUuid>, _>(projects);
    let statement = bind_ids(statement, &filter.sprints, |id| id.map(|id| id.0));
    let statement = bind_ids(statement, &filter.projects, |id| Some(id.0));
    let statement = bind_ids(statement, &filter.assignees, |id| id.map(|id| id.0));
    Ok(statement.bind::<Array<SqlUuid>, _>(related).load(connection).await?)
}

/// Values that cards refer to by id, each read once for all of them.
struct BoardNames {
    projects: HashMap<Uuid, BoardProject>,
    assignees: Named<BoardAssignee>,
    tags: Named<BoardTag>,
}

/// A project as its cards show it.
struct BoardProject {
    name: Name,
    key: Option<ProjectKey>,
}

#[derive(QueryableByName)]
struct ColumnLoadRow {
    #[diesel(sql_type = SqlUuid)]
    status_id: Uuid,
    #[diesel(sql_type = BigInt)]
    cards: i64,
    #[diesel(sql_type = BigInt)]
    effort: i64,
}

#[derive(QueryableByName)]
struct BoardCardRow {
    #[diesel(sql_type = SqlUuid)]
    status_id: Uuid,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    sprint_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    rank: String,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = Bool)]
    is_open: bool,
    #[diesel(sql_type = Text)]
    priority: String,
    #[diesel(sql_type = Text)]
    card_type: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    parent_id: Option<Uuid>,
    #[diesel(sql_type = Bool)]
    is_blocked: bool,
    #[diesel(embed)]
    checklist: ChecklistRow,
    #[diesel(sql_type = Integer)]
    effort: i32,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    deadline: Option<OffsetDateTime>,
    #[diesel(sql_type = SqlUuid)]
    history_head_id: Uuid,
    #[diesel(sql_type = BigInt)]
    history_head_sequence: i64,
    #[diesel(sql_type = Jsonb)]
    board_heads: Value,
    #[diesel(sql_type = Array<SqlUuid>)]
    user_ids: Vec<Uuid>,
    #[diesel(sql_type = Array<SqlUuid>)]
    tag_ids: Vec<Uuid>,
    #[diesel(sql_type = Jsonb)]
    fields: Value,
}

impl BoardCardRow {
    fn values(&self) -> Result<FieldValues> {
        FieldValues::deserialize(&self.fields).map_err(Error::internal)
    }

    fn read(
        self,
        (heads, fields): (&BoardHeads, FieldValues),
        sees: impl Fn(TeamId) -> bool,
        names: &BoardNames,
    ) -> Result<ColumnCard> {
        let own = HistoryHead {
            id: HistoryId(self.history_head_id),
            sequence: Sequence(self.history_head_sequence),
        };
        let head = heads.head(own, sees);
        let project = names.projects.get(&self.project_id);
        let project = project.ok_or_else(|| Error::internal("a card of another project"))?;
        let key = |(key, number): (&ProjectKey, i64)| CardKey { project: key.clone(), number };
        Ok(ColumnCard {
            id: CardId(self.id),
            key: project.key.as_ref().zip(self.number).map(key),
            name: decode::name(&self.name)?,
            project_id: ProjectId(self.project_id),
            project_name: project.name.clone(),
            is_open: self.is_open,
            effort: Effort::try_from(i64::from(self.effort)).map_err(Error::internal)?,
            priority: decode::parse(&self.priority)?,
            card_type: decode::parse(&self.card_type)?,
            parent_id: self.parent_id.map(CardId),
            is_blocked: self.is_blocked,
            checklist: self.checklist.count()?,
            deadline: self.deadline.map(Timestamp::from),
            sprint_id: self.sprint_id.map(SprintId),
            rank: decode::parse(&self.rank)?,
            assignees: names.assignees.of(&self.user_ids),
            tags: names.tags.of(&self.tag_ids),
            fields,
            history_head_id: head.id,
            history_head_sequence: head.sequence,
        })
    }
}
