//! What index cards say of boards: always made anew from where the cards stand.

use diesel::sql_types::{Array, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::{Error, Result};
use uuid::Uuid;

use crate::failure::failure;
use crate::statement::Statement;
use crate::transaction::Tx;

/// Writes into the index rows of `cards`, which the transaction holds, where they stand now.
pub(crate) async fn reindex(tx: &mut Tx, cards: &[Uuid]) -> Result<()> {
    if cards.is_empty() {
        return Ok(());
    }
    let written = Statement::new(include_str!("reindex_boards.sql"))
        .bind::<Array<SqlUuid>, _>(cards)
        .execute(tx.connection()?)
        .await
        .map_err(failure)?;
    if written == cards.len() { Ok(()) } else { Err(Error::internal("a locked card is gone")) }
}
