//! A team's whole board, read in one statement.

use auth::actor::TeamRead;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::board::{Board, BoardColumn, ColumnCard, Load, Wip};
use domain::card::{BoardHeads, Effort};
use domain::history::{HistoryHead, Sequence};
use domain::id::{CardId, HistoryId, ProjectId, SprintId, TeamId, UserId};
use domain::permission::Permission;
use domain::status::StatusRecord;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::linked_projects::LinkedTeam;
use crate::access::rows::card;
use crate::db::decode;
use crate::db::prelude::*;
use crate::resources::cards::view;
use crate::resources::store::Tx;

/// The cards of a board to show.
#[derive(Clone, Copy, Debug, Default)]
pub struct BoardFilter {
    /// Only those of this sprint; `Some(None)`: of the backlog.
    pub sprint: Option<Option<SprintId>>,
    /// Only those of this project.
    pub project: Option<ProjectId>,
    /// Only those assigned to this user.
    pub assignee: Option<UserId>,
}

/// The board with the cards that the caller can read.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get(
    tx: &mut Tx,
    at: &LinkedTeam<TeamRead>,
    call: &Call<TeamRead>,
    filter: &BoardFilter,
) -> Result<Board> {
    let team = at.team.id();
    let readable: Vec<Uuid> = at.projects_with(Permission::CardRead).map(|project| project.id.0).collect();
    let rows: Vec<BoardRow> = Statement::new(include_str!("boards/get.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Array<SqlUuid>, _>(readable)
        .bind::<Bool, _>(filter.sprint == Some(None))
        .bind::<Nullable<SqlUuid>, _>(filter.sprint.flatten().map(|id| id.0))
        .bind::<Nullable<SqlUuid>, _>(filter.project.map(|id| id.0))
        .bind::<Nullable<SqlUuid>, _>(filter.assignee.map(|id| id.0))
        .load(tx)
        .await?;
    let heads: Vec<Option<BoardHeads>> = rows.iter().map(BoardRow::board_heads).collect::<Result<_>>()?;
    let visible = view::boards(tx, call, heads.iter().flatten()).await?;
    let mut columns: Vec<BoardColumn> = Vec::new();
    for (row, heads) in rows.into_iter().zip(heads) {
        if let Some(status) = row.status {
            let load = Load { cards: row.column_cards, effort: row.column_effort };
            columns.push(column(status, load)?);
        }
        if let (Some(card), Some(column)) = (row.card, columns.last_mut()) {
            column.cards.push(card.read(&heads.unwrap_or_default(), |team| visible.contains(&team))?);
        }
    }
    Ok(Board { team_id: team, columns })
}

fn column(status: Value, load: Load) -> Result<BoardColumn> {
    let status: StatusRecord = serde_json::from_value(status).map_err(Error::internal)?;
    Ok(BoardColumn {
        card_count: load.cards,
        effort: load.effort,
        wip_exceeded: Wip::of(&status).is_some_and(|wip| wip.is_exceeded_by(load)),
        status,
        cards: Vec::new(),
    })
}

/// A card of a column. A column without cards has one row. Only a column's first row has its `status`.
#[derive(QueryableByName)]
struct BoardRow {
    #[diesel(sql_type = Nullable<Jsonb>)]
    status: Option<Value>,
    #[diesel(sql_type = BigInt)]
    column_cards: i64,
    #[diesel(sql_type = BigInt)]
    column_effort: i64,
    #[diesel(embed)]
    card: Option<BoardCardRow>,
}

#[derive(QueryableByName)]
struct BoardCardRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = Text)]
    project_name: String,
    #[diesel(sql_type = Bool)]
    is_open: bool,
    #[diesel(sql_type = Integer)]
    effort: i32,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    deadline: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    sprint_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    rank: String,
    #[diesel(sql_type = Jsonb)]
    assignees: Value,
    #[diesel(sql_type = Jsonb)]
    tags: Value,
    #[diesel(sql_type = SqlUuid)]
    history_head_id: Uuid,
    #[diesel(sql_type = BigInt)]
    history_head_sequence: i64,
    #[diesel(sql_type = Jsonb)]
    board_heads: Value,
}

impl BoardRow {
    fn board_heads(&self) -> Result<Option<BoardHeads>> {
        self.card.as_ref().map(|row| card::board_heads(row.board_heads.clone())).transpose()
    }
}

impl BoardCardRow {
    fn read(self, heads: &BoardHeads, sees: impl Fn(TeamId) -> bool) -> Result<ColumnCard> {
        let own = HistoryHead {
            id: HistoryId(self.history_head_id),
            sequence: Sequence(self.history_head_sequence),
        };
        let head = heads.head(own, sees);
        Ok(ColumnCard {
            id: CardId(self.id),
            name: decode::name(&self.name)?,
            project_id: ProjectId(self.project_id),
            project_name: decode::name(&self.project_name)?,
            is_open: self.is_open,
            effort: Effort::try_from(i64::from(self.effort)).map_err(Error::internal)?,
            deadline: self.deadline.map(Timestamp::from),
            sprint_id: self.sprint_id.map(SprintId),
            rank: decode::parse(&self.rank)?,
            assignees: serde_json::from_value(self.assignees).map_err(Error::internal)?,
            tags: serde_json::from_value(self.tags).map_err(Error::internal)?,
            history_head_id: head.id,
            history_head_sequence: head.sequence,
        })
    }
}
