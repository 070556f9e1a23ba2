//! An execution's columns.

use database::decode;
use database::prelude::*;
use database::schema::executions;
use domain::id::{ExecutionId, ObjectId, SessionId, UserId};
use domain::time::Timestamp;
use domain::work::execution::ExecutionRecord;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

/// An execution's columns, without its input and output.
#[derive(Queryable, Selectable)]
#[diesel(table_name = executions)]
pub(crate) struct ExecutionRow {
    id: Uuid,
    session_id: Uuid,
    object_id: Uuid,
    language: String,
    state: String,
    failure: Option<Value>,
    truncated: bool,
    user_id: Uuid,
    created_at: OffsetDateTime,
    started_at: Option<OffsetDateTime>,
    ended_at: Option<OffsetDateTime>,
}

impl ExecutionRow {
    pub(crate) fn record(self) -> Result<ExecutionRecord> {
        Ok(ExecutionRecord {
            id: ExecutionId(self.id),
            session: SessionId(self.session_id),
            object: ObjectId(self.object_id),
            language: decode::text(&self.language)?,
            state: decode::text(&self.state)?,
            failure: self.failure.map(serde_json::from_value).transpose().map_err(Error::internal)?,
            truncated: self.truncated,
            created_by: UserId(self.user_id),
            created_at: Timestamp::from(self.created_at),
            started_at: self.started_at.map(Timestamp::from),
            ended_at: self.ended_at.map(Timestamp::from),
        })
    }
}
