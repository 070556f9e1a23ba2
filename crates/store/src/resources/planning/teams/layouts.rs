//! Layouts of boards: the columns of a team as they were after each change of one. Boards and cards of the past show
//! them (docs/design/history.md).

use std::collections::HashMap;

use database::prelude::*;
use database::schema::board_layouts;
use diesel::sql_types::{Array, Jsonb, Timestamptz, Uuid as SqlUuid};
use domain::id::TeamId;
use domain::planning::past::PastMoment;
use domain::planning::status::StatusRecord;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::resources::store::Tx;

/// Records a team's columns after a change of one.
pub(super) async fn record<P>(
    tx: &mut Tx,
    call: &Call<P>,
    team: TeamId,
    columns: &[StatusRecord],
) -> Result<()> {
    let written = Statement::new(include_str!("layouts/record.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Jsonb, _>(serde_json::to_value(columns).map_err(Error::internal)?)
        .bind::<Timestamptz, _>(call.now.0)
        .execute(tx)
        .await?;
    if written == 1 { Ok(()) } else { Err(Error::internal("the team of a layout is gone")) }
}

/// The columns of teams at a moment, in their order. A team whose columns of then are not known is absent, a deleted
/// team is not.
pub(in crate::resources::planning) async fn at(
    connection: &Connection,
    teams: impl IntoIterator<Item = TeamId>,
    at: PastMoment,
) -> Result<HashMap<TeamId, Vec<StatusRecord>>> {
    let rows: Vec<LayoutRow> = Statement::new(include_str!("layouts/at.sql"))
        .bind::<Array<SqlUuid>, _>(teams.into_iter().map(|team| team.0).collect::<Vec<_>>())
        .bind::<Timestamptz, _>(at.time().0)
        .load(connection)
        .await?;
    let columns = |row: LayoutRow| {
        let columns = serde_json::from_value(row.statuses).map_err(Error::internal)?;
        Ok((TeamId(row.team_id), columns))
    };
    rows.into_iter().map(columns).collect()
}

/// The time since which a team's columns are known.
pub(in crate::resources::planning) async fn known_since(
    connection: &Connection,
    team: TeamId,
) -> Result<Option<Timestamp>> {
    let first: Option<OffsetDateTime> = board_layouts::table
        .filter(board_layouts::team_id.eq(team.0))
        .order(board_layouts::id)
        .select(board_layouts::occurred_at)
        .first(connection)
        .await
        .optional()?;
    Ok(first.map(Timestamp::from))
}

#[derive(QueryableByName)]
struct LayoutRow {
    #[diesel(sql_type = SqlUuid)]
    team_id: Uuid,
    #[diesel(sql_type = Jsonb)]
    statuses: Value,
}
