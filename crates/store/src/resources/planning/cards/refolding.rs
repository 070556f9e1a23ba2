//! Folding of cards' texts again, after a change of `domain::search::fold`. Texts in ASCII with single blanks fold as before.

use database::prelude::*;
use database::schema::card_refolds;
use diesel::sql_types::{Array, Text, Uuid as SqlUuid};
use domain::Result;
use domain::planning::card::search_document;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::resources::store::{Store, Tx};

/// The present way of folding: a row of `card_refolds`.
const VERSION: i64 = 3;

impl Store {
    /// Folds the next cards' texts; returns their number, which is 0 at the end. Concurrent calls exclude each other.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn refold_cards(&self, now: Timestamp) -> Result<usize> {
        self.transaction(async |tx| refold(tx, now).await).await
    }
}

async fn refold(tx: &mut Tx, now: Timestamp) -> Result<usize> {
    let progress: Option<Uuid> = card_refolds::table
        .find(VERSION)
        .filter(card_refolds::finished_at.is_null())
        .select(card_refolds::after_card_id)
        .for_update()
        .skip_locked()
        .first(tx)
        .await
        .optional()?;
    let Some(after) = progress else { return Ok(0) };
    let cards: Vec<TextRow> =
        Statement::new(include_str!("refolding/next.sql")).bind::<SqlUuid, _>(after).load(tx).await?;
    let row = diesel::update(card_refolds::table.find(VERSION));
    let Some(last) = cards.last().map(|card| card.id) else {
        row.set(card_refolds::finished_at.eq(now.0)).execute(tx).await?;
        return Ok(0);
    };
    row.set(card_refolds::after_card_id.eq(last)).execute(tx).await?;
    let count = cards.len();
    let (ids, documents): (Vec<Uuid>, Vec<String>) = cards
        .iter()
        .map(|card| (card.id, search_document([&card.name, &card.resolution, &card.description])))
        .unzip();
    Statement::new(include_str!("refolding/write.sql"))
        .bind::<Array<SqlUuid>, _>(ids)
        .bind::<Array<Text>, _>(documents)
        .execute(tx)
        .await?;
    Ok(count)
}

/// The texts of a card.
#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    resolution: String,
    #[diesel(sql_type = Text)]
    description: String,
}
