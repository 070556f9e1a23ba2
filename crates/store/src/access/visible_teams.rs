//! The teams that a caller sees, out of many: for answers about teams that the request does not name.

use std::collections::HashSet;

use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::Result;
use domain::id::TeamId;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::team::TeamAccessRow;
use crate::db::prelude::*;

/// Those of `teams` that the caller sees. The credential's permissions play no part: they decide what is forbidden, not
/// what is hidden.
pub(crate) async fn among<P>(
    connection: &Connection,
    call: &Call<P>,
    teams: impl IntoIterator<Item = TeamId>,
) -> Result<HashSet<TeamId>> {
    let teams: HashSet<Uuid> = teams.into_iter().map(|team| team.0).collect();
    if teams.is_empty() {
        return Ok(HashSet::new());
    }
    let rows: Vec<TeamAccessRow> = Statement::new(include_str!("visible_teams.sql"))
        .bind::<Array<SqlUuid>, _>(teams.into_iter().collect::<Vec<_>>())
        .bind::<SqlUuid, _>(call.actor.user.0)
        .load(connection)
        .await?;
    let mut visible = HashSet::new();
    for row in rows {
        if row.allowed(&call.actor)?.is_some() {
            visible.insert(row.team.record()?.id);
        }
    }
    Ok(visible)
}
