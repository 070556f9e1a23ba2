//! Access to a sprint, through its team.

use auth::actor::{TeamRead, TeamWrite};
use database::prelude::*;
use database::schema::sprints;
use domain::id::SprintId;
use domain::planning::sprint::SprintRecord;
use domain::{Error, Result};

use crate::access::Target;
use crate::access::call::Call;
use crate::access::rows::sprint::SprintRow;
use crate::access::team::{Team, TeamRef};

/// A sprint as a request names it: within its team.
#[derive(Clone, Copy, Debug)]
pub struct SprintRef {
    /// The team.
    pub team: TeamRef,
    /// The sprint.
    pub sprint: SprintId,
}

/// A sprint of a team with which the caller may do `P`. If `P` is more than reading, the team's sprints are locked
/// until the transaction ends, and no card enters or leaves this one.
#[derive(Debug)]
pub struct Sprint<P> {
    /// The sprint's record.
    pub record: SprintRecord,
    /// The sprint's team.
    pub team: Team<P>,
}

impl<P> Sprint<P> {
    /// The sprint's id.
    pub fn id(&self) -> SprintId {
        self.record.id
    }
}

impl Target<TeamRead> for SprintRef {
    type Witness = Sprint<TeamRead>;

    async fn resolve(&self, connection: &Connection, call: &Call<TeamRead>) -> Result<Sprint<TeamRead>> {
        let team = self.team.resolve(connection, call).await?;
        let row: Option<SprintRow> = sprints::table
            .find(self.sprint.0)
            .filter(sprints::team_id.eq(team.id().0))
            .select(SprintRow::as_select())
            .first(connection)
            .await
            .optional()?;
        witness(row, team)
    }
}

impl Target<TeamWrite> for SprintRef {
    type Witness = Sprint<TeamWrite>;

    async fn resolve(&self, connection: &Connection, call: &Call<TeamWrite>) -> Result<Sprint<TeamWrite>> {
        let team = self.team.resolve(connection, call).await?;
        team.hold(connection).await?;
        let row: Option<SprintRow> = sprints::table
            .find(self.sprint.0)
            .filter(sprints::team_id.eq(team.id().0))
            .select(SprintRow::as_select())
            .for_no_key_update()
            .first(connection)
            .await
            .optional()?;
        witness(row, team)
    }
}

fn witness<P>(row: Option<SprintRow>, team: Team<P>) -> Result<Sprint<P>> {
    let record = row.ok_or_else(Error::not_found)?.record()?;
    Ok(Sprint { record, team })
}
