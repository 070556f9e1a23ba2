//! Facts of cards beside their values: keys, authors and times, of which an import has set some. But for the last
//! change, they are the same now.

use std::collections::HashMap;

use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, ProjectId};
use domain::key::CardKey;
use domain::planning::past::PastMoment;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::rows::card::card_key;

/// The facts of a card, which may be deleted.
#[derive(QueryableByName)]
pub(super) struct CardFacts {
    #[diesel(sql_type = Nullable<Text>)]
    pub(super) project_key: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    pub(super) number: Option<i64>,
    #[diesel(sql_type = SqlUuid)]
    pub(super) created_by: Uuid,
    #[diesel(sql_type = Timestamptz)]
    pub(super) created_at: OffsetDateTime,
    /// The last closing, if it is closed now or was at its deletion.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub(super) closed_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Text)]
    pub(super) author_display_name: String,
    /// The last change of the card itself up to the moment.
    #[diesel(sql_type = Timestamptz)]
    pub(super) updated_at: OffsetDateTime,
}

/// The facts of a card of a project that existed at a moment.
pub(super) async fn of_card(
    connection: &Connection,
    project: ProjectId,
    card: CardId,
    at: PastMoment,
) -> Result<CardFacts> {
    let found: Option<CardFacts> = Statement::new(include_str!("facts/of_card.sql"))
        .bind::<SqlUuid, _>(card.0)
        .bind::<SqlUuid, _>(project.0)
        .bind::<Timestamptz, _>(at.time().0)
        .load(connection)
        .await?
        .into_iter()
        .next();
    found.ok_or_else(|| Error::internal("a card with a history has no creation"))
}

/// The keys of cards, as far as they have one.
pub(super) async fn keys(
    connection: &Connection,
    cards: impl IntoIterator<Item = CardId>,
) -> Result<HashMap<CardId, CardKey>> {
    let rows: Vec<CardKeyRow> = Statement::new(include_str!("facts/keys.sql"))
        .bind::<Array<SqlUuid>, _>(cards.into_iter().map(|card| card.0).collect::<Vec<_>>())
        .load(connection)
        .await?;
    let mut keys = HashMap::new();
    for row in rows {
        if let Some(key) = card_key(row.project_key.as_deref(), row.number)? {
            keys.insert(CardId(row.id), key);
        }
    }
    Ok(keys)
}

#[derive(QueryableByName)]
struct CardKeyRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    project_key: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
}
