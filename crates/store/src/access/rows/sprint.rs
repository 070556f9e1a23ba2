//! A sprint's row.

use database::decode;
use database::prelude::*;
use database::schema::sprints;
use domain::Result;
use domain::id::{SprintId, TeamId};
use domain::planning::sprint::SprintRecord;
use domain::time::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

/// A sprint's row, without the figures of its start and end.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = sprints)]
#[diesel(treat_none_as_null = true)]
pub(crate) struct SprintRow {
    id: Uuid,
    team_id: Uuid,
    name: String,
    description: String,
    status: String,
    start_date: Option<OffsetDateTime>,
    end_date: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
}

impl SprintRow {
    pub(crate) fn of(record: &SprintRecord) -> Self {
        Self {
            id: record.id.0,
            team_id: record.team_id.0,
            name: record.name.to_string(),
            description: record.description.as_str().to_owned(),
            status: record.status.as_str().to_owned(),
            start_date: record.start_date.map(|time| time.0),
            end_date: record.end_date.map(|time| time.0),
            created_at: record.created_at.0,
        }
    }

    pub(crate) fn record(self) -> Result<SprintRecord> {
        Ok(SprintRecord {
            id: SprintId(self.id),
            name: decode::name(&self.name)?,
            description: decode::bounded(self.description)?,
            status: decode::text(&self.status)?,
            created_at: Timestamp::from(self.created_at),
            start_date: self.start_date.map(Timestamp::from),
            end_date: self.end_date.map(Timestamp::from),
            team_id: TeamId(self.team_id),
        })
    }
}
