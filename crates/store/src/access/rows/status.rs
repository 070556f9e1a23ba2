//! A status column's row.

use database::decode;
use database::prelude::*;
use database::schema::team_statuses;
use domain::id::{StatusId, TeamId};
use domain::planning::status::{StatusRecord, WipLimit};
use domain::search::fold_case;
use domain::{Error, Result};
use uuid::Uuid;

/// A column's row, without its time of creation.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = team_statuses)]
#[diesel(treat_none_as_null = true)]
pub(crate) struct StatusRow {
    id: Uuid,
    team_id: Uuid,
    name: String,
    folded_name: String,
    description: String,
    position: String,
    color: String,
    status: String,
    transition_state: String,
    close_mode: String,
    wip_limit: Option<i32>,
    wip_policy: String,
    wip_unit: String,
}

impl StatusRow {
    pub(crate) fn of(record: &StatusRecord) -> Self {
        Self {
            id: record.id.0,
            team_id: record.team_id.0,
            name: record.name.to_string(),
            folded_name: fold_case(record.name.as_str()),
            description: record.description.as_str().to_owned(),
            position: record.position.to_string(),
            color: record.color.as_str().to_owned(),
            status: record.status.to_string(),
            transition_state: record.transition_state.as_str().to_owned(),
            close_mode: record.close_mode.as_str().to_owned(),
            wip_limit: record.wip_limit.map(WipLimit::get),
            wip_policy: record.wip_policy.as_str().to_owned(),
            wip_unit: record.wip_unit.as_str().to_owned(),
        }
    }

    pub(crate) fn record(self) -> Result<StatusRecord> {
        let limit = self.wip_limit.map(|limit| WipLimit::try_from(i64::from(limit)));
        Ok(StatusRecord {
            id: StatusId(self.id),
            name: decode::name(&self.name)?,
            description: decode::bounded(self.description)?,
            position: decode::parse(&self.position)?,
            color: decode::parse(&self.color)?,
            status: decode::name(&self.status)?,
            transition_state: decode::text(&self.transition_state)?,
            close_mode: decode::text(&self.close_mode)?,
            wip_limit: limit.transpose().map_err(Error::internal)?,
            wip_policy: decode::text(&self.wip_policy)?,
            wip_unit: decode::text(&self.wip_unit)?,
            team_id: TeamId(self.team_id),
        })
    }
}
