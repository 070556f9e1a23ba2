//! Cards as a table shows them: with names instead of ids.

use std::collections::HashMap;

use auth::actor::CardRead;
use database::prelude::*;
use database::schema::{card_tags, users};
use diesel::sql_types::{Array, BigInt, Nullable, Text, Uuid as SqlUuid};
use domain::Result;
use domain::id::CardId;
use domain::key::CardKey;
use domain::planning::card::{CardPosition, ShownCard};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::rows::card::card_key;
use crate::resources::planning::cards::{self, CardFilter};
use crate::resources::store::Tx;

/// A card with the names of what it refers to.
#[derive(Clone, Debug)]
pub struct NamedCard {
    /// The card.
    pub shown: ShownCard,
    /// The key of its parent.
    pub parent: Option<CardKey>,
    /// The display names of its assignees.
    pub assignees: Vec<String>,
    /// The names of its tags.
    pub tags: Vec<String>,
}

/// A page of the project's cards, as [`cards::list`] reads it, with names.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn page(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    filter: &CardFilter,
    after: Option<CardPosition>,
    rows: u32,
) -> Result<Vec<NamedCard>> {
    let shown = cards::list(tx, project, call, filter, after, rows).await?;
    let index: Vec<_> = shown.iter().map(ShownCard::index_card).collect();
    let people = people(tx, index.iter().flat_map(|card| &card.user_ids).map(|id| id.0).collect()).await?;
    let tags = tags(tx, index.iter().flat_map(|card| &card.tag_ids).map(|id| id.0).collect()).await?;
    let parents = keys(tx, index.iter().filter_map(|card| card.parent_id).collect()).await?;
    let named = shown.into_iter().zip(index).map(|(shown, card)| NamedCard {
        shown,
        parent: card.parent_id.and_then(|parent| parents.get(&parent).cloned()),
        assignees: card.user_ids.iter().filter_map(|id| people.get(&id.0).cloned()).collect(),
        tags: card.tag_ids.iter().filter_map(|id| tags.get(&id.0).cloned()).collect(),
    });
    Ok(named.collect())
}

async fn people(tx: &mut Tx, ids: Vec<Uuid>) -> Result<HashMap<Uuid, String>> {
    let named = users::table.filter(users::id.eq_any(ids)).select((users::id, users::display_name));
    let rows: Vec<(Uuid, String)> = named.load(tx).await?;
    Ok(rows.into_iter().collect())
}

async fn tags(tx: &mut Tx, ids: Vec<Uuid>) -> Result<HashMap<Uuid, String>> {
    let named = card_tags::table.filter(card_tags::id.eq_any(ids)).select((card_tags::id, card_tags::name));
    let rows: Vec<(Uuid, String)> = named.load(tx).await?;
    Ok(rows.into_iter().collect())
}

async fn keys(tx: &mut Tx, ids: Vec<CardId>) -> Result<HashMap<CardId, CardKey>> {
    let rows: Vec<KeyRow> = Statement::new(include_str!("export/keys.sql"))
        .bind::<Array<SqlUuid>, _>(ids.into_iter().map(|id| id.0).collect::<Vec<_>>())
        .load(tx)
        .await?;
    let key = |row: KeyRow| Ok(card_key(row.key.as_deref(), row.number)?.map(|key| (CardId(row.id), key)));
    let keys: Result<Vec<_>> = rows.into_iter().map(key).collect();
    Ok(keys?.into_iter().flatten().collect())
}

#[derive(QueryableByName)]
struct KeyRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Text>)]
    key: Option<String>,
    #[diesel(sql_type = Nullable<BigInt>)]
    number: Option<i64>,
}
