//! Columns of index cards that belong to boards. They are always computed from the cards' places.

use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::card::Boards;
use domain::id::CardId;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::rows::card::BoardsRow;
use crate::db::prelude::*;
use crate::resources::store::Tx;

const REINDEX_AND_READ: &str = concat!(
    include_str!("reindex_boards.sql"),
    "returning i.team_ids, i.team_status_ids, i.sprint_ids, i.team_statuses, i.team_placements"
);

/// Updates the index rows of `cards`, which the transaction has locked.
pub(crate) async fn reindex(tx: &mut Tx, cards: &[Uuid]) -> Result<()> {
    if cards.is_empty() {
        return Ok(());
    }
    let written = Statement::new(include_str!("reindex_boards.sql"))
        .bind::<Array<SqlUuid>, _>(cards)
        .execute(tx)
        .await?;
    if written == cards.len() { Ok(()) } else { Err(Error::internal("a locked card is gone")) }
}

/// Updates the index row of one card; returns its boards.
pub(super) async fn reindex_one(tx: &mut Tx, card: CardId) -> Result<Boards> {
    let row: BoardsRow =
        Statement::new(REINDEX_AND_READ).bind::<Array<SqlUuid>, _>(vec![card.0]).get_result(tx).await?;
    row.boards()
}
