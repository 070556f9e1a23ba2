//! Rows of cards: read as a whole, and written if they changed.

use database::decode;
use database::prelude::*;
use database::schema::card_field_values;
use diesel::sql_types::{
    Array, BigInt, Bool, Date as SqlDate, Integer, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid,
};
use domain::id::{CardId, HistoryId, ProjectId, SprintId, StatusId, TagId, TeamId, UserId};
use domain::key::CardKey;
use domain::planning::card::{BoardHeads, Boards, CardFields, CardRecord, CardState, Effort, search_text};
use domain::planning::checklist::ChecklistCount;
use domain::planning::custom_field::FieldValues;
use domain::planning::history::{FieldChanges, HistoryHead, Sequence};
use domain::planning::relation::FarParent;
use domain::time::{CalendarDay, Deadline, Timestamp};
use domain::{Error, Result};
use serde::Deserialize;
use serde_json::{Map, Value};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// The row of [`CardFields`].
#[derive(QueryableByName)]
struct FieldsRow {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Text)]
    resolution: String,
    #[diesel(sql_type = Integer)]
    effort: i32,
    #[diesel(sql_type = Text)]
    priority: String,
    #[diesel(sql_type = Text)]
    card_type: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    parent_id: Option<Uuid>,
    #[diesel(sql_type = Jsonb)]
    fields: Value,
    #[diesel(sql_type = Nullable<SqlDate>)]
    start_date: Option<Date>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    deadline: Option<OffsetDateTime>,
}

/// A card's columns with its author's name.
#[derive(QueryableByName)]
struct CardRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    project_key: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
    #[diesel(embed)]
    fields: FieldsRow,
    #[diesel(sql_type = Bool)]
    is_open: bool,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    closed_at: Option<OffsetDateTime>,
    #[diesel(sql_type = SqlUuid)]
    created_by: Uuid,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    updated_at: OffsetDateTime,
    #[diesel(sql_type = Text)]
    author_display_name: String,
}

/// A card's columns with those of its index row, as `access/card.sql` selects them.
#[derive(QueryableByName)]
pub(crate) struct CardStateRow {
    #[diesel(embed)]
    card: CardRow,
    #[diesel(sql_type = SqlUuid)]
    history_head_id: Uuid,
    #[diesel(sql_type = BigInt)]
    history_head_sequence: i64,
    #[diesel(sql_type = Jsonb)]
    board_heads: Value,
    #[diesel(sql_type = Array<SqlUuid>)]
    tag_ids: Vec<Uuid>,
    #[diesel(sql_type = Array<SqlUuid>)]
    user_ids: Vec<Uuid>,
    #[diesel(embed)]
    checklist: ChecklistRow,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    far_parent_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    far_parent_project_id: Option<Uuid>,
    #[diesel(embed)]
    boards: BoardsRow,
    #[diesel(sql_type = Text)]
    search_text: String,
}

/// A parent of another project.
pub(crate) fn far_parent(card: Option<Uuid>, project: Option<Uuid>) -> Option<FarParent> {
    Some(FarParent { card: CardId(card?), project: ProjectId(project?) })
}

/// The columns of an index row that count a checklist.
#[derive(QueryableByName)]
pub(crate) struct ChecklistRow {
    #[diesel(sql_type = Integer)]
    checklist_total: i32,
    #[diesel(sql_type = Integer)]
    checklist_done: i32,
}

impl ChecklistRow {
    pub(crate) fn count(&self) -> Result<ChecklistCount> {
        let count = |column| u32::try_from(column).map_err(Error::internal);
        Ok(ChecklistCount { total: count(self.checklist_total)?, done: count(self.checklist_done)? })
    }
}

/// The key of a card, if its project has one and the card a number.
pub(crate) fn card_key(project: Option<&str>, number: Option<i64>) -> Result<Option<CardKey>> {
    let (Some(project), Some(number)) = (project, number) else { return Ok(None) };
    Ok(Some(CardKey { project: decode::parse(project)?, number }))
}

/// The columns of an index row that belong to boards.
#[derive(QueryableByName)]
pub(crate) struct BoardsRow {
    #[diesel(sql_type = Array<SqlUuid>)]
    team_ids: Vec<Uuid>,
    #[diesel(sql_type = Array<SqlUuid>)]
    team_status_ids: Vec<Uuid>,
    #[diesel(sql_type = Array<SqlUuid>)]
    sprint_ids: Vec<Uuid>,
    #[diesel(sql_type = Jsonb)]
    team_statuses: Value,
    #[diesel(sql_type = Jsonb)]
    team_placements: Value,
}

/// The value of the column `board_heads`.
pub(crate) fn board_heads(column: &Value) -> Result<BoardHeads> {
    BoardHeads::deserialize(column).map_err(Error::internal)
}

impl FieldsRow {
    fn fields(self) -> Result<CardFields> {
        Ok(CardFields {
            name: decode::name(&self.name)?,
            description: decode::bounded(self.description)?,
            resolution: decode::bounded(self.resolution)?,
            effort: Effort::try_from(i64::from(self.effort)).map_err(Error::internal)?,
            priority: decode::parse(&self.priority)?,
            card_type: decode::parse(&self.card_type)?,
            parent_id: self.parent_id.map(CardId),
            fields: serde_json::from_value(self.fields).map_err(Error::internal)?,
            start_date: self.start_date.map(CalendarDay),
            deadline: self.deadline.map(|due| Deadline(Timestamp::from(due))),
        })
    }
}

impl CardRow {
    fn record(self) -> Result<CardRecord> {
        Ok(CardRecord {
            id: CardId(self.id),
            key: card_key(self.project_key.as_deref(), self.number)?,
            number: self.number,
            fields: self.fields.fields()?,
            created_by_user: UserId(self.created_by),
            created_at: Timestamp::from(self.created_at),
            updated_at: Timestamp::from(self.updated_at),
            is_open: self.is_open,
            project_id: ProjectId(self.project_id),
            author_display_name: self.author_display_name,
            closed_at: self.closed_at.map(Timestamp::from),
        })
    }
}

impl CardStateRow {
    pub(crate) fn state(self) -> Result<CardState> {
        Ok(CardState {
            card: self.card.record()?,
            head: HistoryHead {
                id: HistoryId(self.history_head_id),
                sequence: Sequence(self.history_head_sequence),
            },
            board_heads: board_heads(&self.board_heads)?,
            tag_ids: self.tag_ids.into_iter().map(TagId).collect(),
            user_ids: self.user_ids.into_iter().map(UserId).collect(),
            checklist: self.checklist.count()?,
            far_parent: far_parent(self.far_parent_id, self.far_parent_project_id),
            boards: self.boards.boards()?,
            search_text: search_text(&self.search_text),
        })
    }
}

impl BoardsRow {
    pub(crate) fn boards(self) -> Result<Boards> {
        Ok(Boards {
            team_ids: self.team_ids.into_iter().map(TeamId).collect(),
            team_status_ids: self.team_status_ids.into_iter().map(StatusId).collect(),
            sprint_ids: self.sprint_ids.into_iter().map(SprintId).collect(),
            team_statuses: serde_json::from_value(self.team_statuses).map_err(Error::internal)?,
            team_placements: serde_json::from_value(self.team_placements).map_err(Error::internal)?,
        })
    }
}

/// Writes a changed card and its index row. Only fields that changed are written, and the search index is updated only
/// for changed texts. Columns of boards are not written here.
pub(crate) async fn save(connection: &Connection, before: &CardState, after: &mut CardState) -> Result<()> {
    let new = &after.card;
    let (mut changed, mut document) = (Map::new(), None);
    if before.card.fields != new.fields {
        changed = FieldChanges::between(&before.card.fields, &new.fields).new_values();
        document = Some(new.fields.search_document());
    }
    let document = document.filter(|document| *document != before.card.fields.search_document());
    let written = Statement::new(include_str!("card/update.sql"))
        .bind::<SqlUuid, _>(new.id.0)
        .bind::<Jsonb, _>(Value::Object(changed))
        .bind::<Bool, _>(new.is_open)
        .bind::<Nullable<Timestamptz>, _>(new.closed_at.map(|time| time.0))
        .bind::<Timestamptz, _>(new.updated_at.0)
        .bind::<SqlUuid, _>(after.head.id.0)
        .bind::<BigInt, _>(after.head.sequence.0)
        .bind::<Array<SqlUuid>, _>(after.tag_ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(after.user_ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .bind::<Nullable<Text>, _>(document.as_deref())
        .bind::<BigInt, _>(i64::from(after.checklist.total))
        .bind::<BigInt, _>(i64::from(after.checklist.done))
        .execute(connection)
        .await?;
    if written != 1 {
        return Err(Error::internal("a locked card is gone"));
    }
    if let Some(document) = document {
        after.search_text = search_text(&document);
    }
    if before.card.fields.fields != new.fields.fields {
        let of_card = card_field_values::table.filter(card_field_values::card_id.eq(new.id.0));
        diesel::delete(of_card).execute(connection).await?;
        index_fields(connection, &[(new.id, &new.fields.fields)]).await?;
    }
    Ok(())
}

/// Adds the custom fields of cards to the index of values, in which these cards have none.
pub(crate) async fn index_fields(connection: &Connection, cards: &[(CardId, &FieldValues)]) -> Result<()> {
    let cards: Vec<_> = cards.iter().filter(|(_, values)| !values.is_empty()).collect();
    if cards.is_empty() {
        return Ok(());
    }
    let values: Result<Vec<Value>, _> =
        cards.iter().map(|(_, values)| serde_json::to_value(values)).collect();
    Statement::new(include_str!("card/index_fields.sql"))
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|(card, _)| card.0).collect::<Vec<_>>())
        .bind::<Array<Jsonb>, _>(values.map_err(Error::internal)?)
        .execute(connection)
        .await?;
    Ok(())
}
