//! Places of cards on boards.

use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, Nullable, Text, Uuid as SqlUuid};
use domain::Result;
use domain::id::{CardId, SprintId, StatusId, TeamId};
use domain::planning::board::Placement;
use uuid::Uuid;

/// The places of `cards` on boards, by card and team.
pub(crate) async fn list(connection: &Connection, cards: &[CardId]) -> Result<Vec<(CardId, Placement)>> {
    let rows: Vec<PlacementRow> = Statement::new(include_str!("placement.sql"))
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|card| card.0).collect::<Vec<_>>())
        .load(connection)
        .await?;
    rows.into_iter().map(PlacementRow::read).collect()
}

#[derive(QueryableByName)]
struct PlacementRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    team_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    status_id: Uuid,
    #[diesel(sql_type = Text)]
    transition_state: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    sprint_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    rank: String,
}

impl PlacementRow {
    fn read(self) -> Result<(CardId, Placement)> {
        let placement = Placement {
            team_id: TeamId(self.team_id),
            status_id: StatusId(self.status_id),
            transition_state: decode::text(&self.transition_state)?,
            sprint_id: self.sprint_id.map(SprintId),
            rank: decode::parse(&self.rank)?,
        };
        Ok((CardId(self.card_id), placement))
    }
}
