//! Access to a status column, through its team.

use auth::actor::{TeamRead, TeamWrite};
use database::prelude::*;
use database::schema::team_statuses;
use domain::id::StatusId;
use domain::planning::status::StatusRecord;
use domain::{Error, Result};

use crate::access::Target;
use crate::access::call::Call;
use crate::access::rows::status::StatusRow;
use crate::access::team::{Team, TeamRef};

/// A column as a request names it: within its team.
#[derive(Clone, Copy, Debug)]
pub struct StatusRef {
    /// The team.
    pub team: TeamRef,
    /// The column.
    pub status: StatusId,
}

/// A column of a team with which the caller may do `P`. If `P` is more than reading, all columns of the team are locked
/// until the transaction ends, so that neither they nor their cards move.
#[derive(Debug)]
pub struct Status<P> {
    /// The column's record.
    pub record: StatusRecord,
    /// The column's team.
    pub team: Team<P>,
}

impl Target<TeamRead> for StatusRef {
    type Witness = Status<TeamRead>;

    async fn resolve(&self, connection: &Connection, call: &Call<TeamRead>) -> Result<Status<TeamRead>> {
        let team = self.team.resolve(connection, call).await?;
        let row: Option<StatusRow> = team_statuses::table
            .find(self.status.0)
            .filter(team_statuses::team_id.eq(team.id().0))
            .select(StatusRow::as_select())
            .first(connection)
            .await
            .optional()?;
        let record = row.ok_or_else(Error::not_found)?.record()?;
        Ok(Status { record, team })
    }
}

impl Target<TeamWrite> for StatusRef {
    type Witness = Status<TeamWrite>;

    async fn resolve(&self, connection: &Connection, call: &Call<TeamWrite>) -> Result<Status<TeamWrite>> {
        let team = self.team.resolve(connection, call).await?;
        team.hold(connection).await?;
        let columns = hold_columns(connection, &team).await?;
        let record = columns.into_iter().find(|column| column.id == self.status);
        Ok(Status { record: record.ok_or_else(Error::not_found)?, team })
    }
}

/// Locks all columns of the team, so that moves on one board run one after another. To lock fewer, the card's column
/// would have to be known before.
pub(crate) async fn hold_columns<P>(connection: &Connection, team: &Team<P>) -> Result<Vec<StatusRecord>> {
    let rows: Vec<StatusRow> = team_statuses::table
        .filter(team_statuses::team_id.eq(team.id().0))
        .order(team_statuses::id)
        .select(StatusRow::as_select())
        .for_no_key_update()
        .load(connection)
        .await?;
    let mut columns: Vec<StatusRecord> = rows.into_iter().map(StatusRow::record).collect::<Result<_>>()?;
    columns.sort_by(|one, other| one.position.cmp(&other.position));
    Ok(columns)
}
