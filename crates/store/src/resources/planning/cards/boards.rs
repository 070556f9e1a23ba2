//! Columns of index cards that belong to boards. What a card shows of boards is always computed from its places.

use std::collections::BTreeMap;

use database::prelude::*;
use diesel::sql_types::{Array, Jsonb, Uuid as SqlUuid};
use domain::id::{CardId, TeamId};
use domain::planning::card::{BoardHeads, Boards};
use domain::planning::history::HistoryHead;
use domain::{Error, Result};
use serde_json::Value;
use uuid::Uuid;

use crate::access::rows::card::BoardsRow;
use crate::resources::store::Tx;

const REINDEX: &str = include_str!("reindex_boards.sql");

/// Updates the index rows of `cards`, which the transaction has locked, after a change of a column's name or color.
pub(crate) async fn reindex(tx: &mut Tx, cards: &[Uuid]) -> Result<()> {
    let unchanged = BoardHeads::default();
    update(tx, cards.iter().map(|card| Ok((*card, json(&unchanged)?))).collect::<Result<_>>()?).await
}

/// Updates the index rows of cards after changes of their places on a team's board, whose last history rows are `heads`. The
/// transaction has locked the cards.
pub(crate) async fn reindex_moved(
    tx: &mut Tx,
    team: TeamId,
    heads: &BTreeMap<CardId, HistoryHead>,
) -> Result<()> {
    let moved = |(card, head): (&CardId, &HistoryHead)| {
        Ok((card.0, json(&BoardHeads(BTreeMap::from([(team, *head)])))?))
    };
    update(tx, heads.iter().map(moved).collect::<Result<_>>()?).await
}

/// Updates the index row of one card after changes of its places; returns its boards.
pub(super) async fn reindex_one(tx: &mut Tx, card: CardId, heads: &BoardHeads) -> Result<Boards> {
    let row: BoardsRow = Statement::new(REINDEX)
        .bind::<Array<SqlUuid>, _>(vec![card.0])
        .bind::<Array<Jsonb>, _>(vec![json(heads)?])
        .get_result(tx)
        .await?;
    row.boards()
}

/// Updates index rows, and adds heads of boards to those that each has.
async fn update(tx: &mut Tx, cards: Vec<(Uuid, Value)>) -> Result<()> {
    if cards.is_empty() {
        return Ok(());
    }
    let (cards, heads): (Vec<Uuid>, Vec<Value>) = cards.into_iter().unzip();
    let written = Statement::new(REINDEX)
        .bind::<Array<SqlUuid>, _>(&cards)
        .bind::<Array<Jsonb>, _>(heads)
        .execute(tx)
        .await?;
    if written == cards.len() { Ok(()) } else { Err(Error::internal("a locked card is gone")) }
}

fn json(heads: &BoardHeads) -> Result<Value> {
    serde_json::to_value(heads).map_err(Error::internal)
}
