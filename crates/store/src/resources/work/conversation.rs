//! The messages of sessions: users' prompts, models' answers and tools' results.

use auth::actor::ProjectRead;
use database::decode;
use database::prelude::*;
use database::schema::{session_messages, session_runs};
use diesel::sql_types::{Integer, Text, Uuid as SqlUuid};
use domain::event::{EventType, NewEvent};
use domain::id::{MessageId, RunId, SessionId, UserId};
use domain::time::Timestamp;
use domain::work::conversation::{Message, MessagePart, ModelContent, Role};
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::session::Session;
use crate::resources::store::Tx;
use crate::resources::work::session_events;

/// Last messages of a conversation that are searched for calls without a result.
const SEARCHED_MESSAGES: i32 = 200;

/// A message to be added.
#[derive(Clone, Debug)]
pub(crate) struct NewMessage {
    pub(crate) session: SessionId,
    pub(crate) run: Option<RunId>,
    /// The user who prompted the run.
    pub(crate) prompted_by: Option<UserId>,
    pub(crate) role: Role,
    pub(crate) parts: Vec<MessagePart>,
    pub(crate) model_content: Option<ModelContent>,
    pub(crate) now: Timestamp,
}

/// The session's messages after the one with number `after`, in their order.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    session: &Session<ProjectRead>,
    after: Option<i64>,
    rows: u32,
) -> Result<Vec<Message>> {
    let found: Vec<(MessageRow, Option<Uuid>)> = session_messages::table
        .left_join(session_runs::table.on(session_messages::run_id.eq(session_runs::id.nullable())))
        .filter(session_messages::session_id.eq(session.record.id.0))
        .filter(session_messages::sequence.gt(after.unwrap_or_default()))
        .order(session_messages::sequence)
        .limit(i64::from(rows))
        .select((MessageRow::as_select(), session_runs::user_id.nullable()))
        .load(tx)
        .await?;
    found.into_iter().map(|(row, prompted_by)| row.message(prompted_by)).collect()
}

/// The messages of a run and up to `earlier` messages before it, in their order.
pub(crate) async fn list_for_run(
    tx: &mut Tx,
    session: SessionId,
    run: RunId,
    earlier: u32,
) -> Result<Vec<Message>> {
    let of_session = session_messages::session_id.eq(session.0);
    let first: Option<i64> = session_messages::table
        .filter(of_session.and(session_messages::run_id.eq(run.0)))
        .select(diesel::dsl::min(session_messages::sequence))
        .first(tx)
        .await?;
    let first = first.ok_or_else(|| Error::internal("a run has no prompt"))?;
    let found: Vec<(MessageRow, Option<Value>)> = session_messages::table
        .filter(of_session.and(session_messages::sequence.ge(first - i64::from(earlier))))
        .order(session_messages::sequence)
        .select((MessageRow::as_select(), session_messages::model_content))
        .load(tx)
        .await?;
    let message = |(row, content): (MessageRow, Option<Value>)| {
        // A newer release may have written a kind that this one doesn't know.
        let model_content = content.and_then(|content| serde_json::from_value(content).ok());
        // The model sees one user: authors are left out.
        Ok(Message { model_content, ..row.message(None)? })
    };
    found.into_iter().map(message).collect()
}

/// The last tool calls that have no result, as id and tool. No model continues a conversation with such calls.
pub(crate) async fn unanswered_calls(tx: &mut Tx, session: SessionId) -> Result<Vec<(String, String)>> {
    let found: Vec<CallRow> = Statement::new(include_str!("conversation/unanswered.sql"))
        .bind::<SqlUuid, _>(session.0)
        .bind::<Integer, _>(SEARCHED_MESSAGES)
        .load(tx)
        .await?;
    Ok(found.into_iter().map(|row| (row.call_id, row.name)).collect())
}

/// Adds a message, with its event. The caller holds the conversation's run, or has just created the run or the session: no one
/// else may add messages.
pub(crate) async fn append(tx: &mut Tx, new: NewMessage) -> Result<Message> {
    let last: Option<i64> = session_messages::table
        .filter(session_messages::session_id.eq(new.session.0))
        .select(diesel::dsl::max(session_messages::sequence))
        .first(tx)
        .await?;
    let message = Message {
        id: MessageId::new(new.now),
        sequence: last.unwrap_or_default() + 1,
        task_id: new.run,
        prompted_by: new.prompted_by,
        role: new.role,
        parts: new.parts,
        created_at: new.now,
        model_content: None,
    };
    let content = new.model_content.as_ref().map(serde_json::to_value);
    let data = serde_json::to_value(&message).map_err(Error::internal)?;
    let role = data.get("role").and_then(Value::as_str).unwrap_or_default();
    diesel::insert_into(session_messages::table)
        .values((
            session_messages::session_id.eq(new.session.0),
            session_messages::sequence.eq(message.sequence),
            session_messages::id.eq(message.id.0),
            session_messages::run_id.eq(new.run.map(|run| run.0)),
            session_messages::role.eq(role),
            session_messages::parts.eq(serde_json::to_value(&message.parts).map_err(Error::internal)?),
            session_messages::created_at.eq(new.now.0),
            session_messages::model_content.eq(content.transpose().map_err(Error::internal)?),
        ))
        .execute(tx)
        .await?;
    let created = NewEvent { kind: EventType::MessageCreated, data };
    session_events::append(tx, new.session, new.now, &created).await?;
    Ok(message)
}

#[derive(QueryableByName)]
struct CallRow {
    #[diesel(sql_type = Text)]
    call_id: String,
    #[diesel(sql_type = Text)]
    name: String,
}

/// A message's columns.
#[derive(Queryable, Selectable)]
#[diesel(table_name = session_messages)]
struct MessageRow {
    id: Uuid,
    sequence: i64,
    run_id: Option<Uuid>,
    role: String,
    parts: Value,
    created_at: OffsetDateTime,
}

impl MessageRow {
    fn message(self, prompted_by: Option<Uuid>) -> Result<Message> {
        Ok(Message {
            id: MessageId(self.id),
            sequence: self.sequence,
            task_id: self.run_id.map(RunId),
            prompted_by: prompted_by.map(UserId),
            role: decode::text(&self.role)?,
            parts: serde_json::from_value(self.parts).map_err(Error::internal)?,
            created_at: Timestamp::from(self.created_at),
            model_content: None,
        })
    }
}
