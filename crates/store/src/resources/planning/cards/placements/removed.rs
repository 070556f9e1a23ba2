//! The place from which a card was removed, to which it returns.

use database::decode;
use database::prelude::*;
use diesel::sql_types::{Bool, Jsonb, Nullable, Text, Uuid as SqlUuid};
use domain::planning::board::Placement;
use domain::position::Position;
use domain::{Error, Result};
use serde_json::Value;

use crate::access::board_card::BoardCard;
use crate::resources::store::Tx;

/// The card's last place on the board, if it was ever removed from there.
pub(super) async fn find(tx: &mut Tx, at: &BoardCard) -> Result<Option<Placement>> {
    let row: Option<PlaceRow> = Statement::new(include_str!("removed/find.sql"))
        .bind::<SqlUuid, _>(at.card.id().0)
        .bind::<SqlUuid, _>(at.board.team.id().0)
        .get_result(tx)
        .await
        .optional()?;
    row.map(|row| serde_json::from_value(row.place).map_err(Error::internal)).transpose()
}

/// The rank of the place in its column; where another card has it, the next free one below.
pub(super) async fn rank(tx: &mut Tx, place: &Placement) -> Result<Position> {
    let row: RankRow = Statement::new(include_str!("removed/rank.sql"))
        .bind::<SqlUuid, _>(place.status_id.0)
        .bind::<Text, _>(place.rank.as_str())
        .get_result(tx)
        .await?;
    if !row.is_taken {
        return Ok(place.rank.clone());
    }
    let next: Option<Position> = row.next.as_deref().map(decode::parse).transpose()?;
    let last: Option<Position> = row.last.as_deref().map(decode::parse).transpose()?;
    Position::between(Some(&place.rank), next.as_ref())
        .or_else(|| Position::between(last.as_ref(), None))
        .ok_or_else(|| Error::internal("a column has no rank behind its last card"))
}

#[derive(QueryableByName)]
struct PlaceRow {
    #[diesel(sql_type = Jsonb)]
    place: Value,
}

#[derive(QueryableByName)]
struct RankRow {
    #[diesel(sql_type = Bool)]
    is_taken: bool,
    #[diesel(sql_type = Nullable<Text>)]
    next: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    last: Option<String>,
}
