//! Cards as a table shows them: with names instead of ids.

use std::collections::HashMap;

use auth::actor::CardRead;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Nullable, Text, Uuid as SqlUuid};
use domain::Result;
use domain::id::CardId;
use domain::key::CardKey;
use domain::planning::board::{BoardAssignee, BoardTag};
use domain::planning::card::{CardPosition, ShownCard};
use domain::planning::custom_field::CustomField;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::rows::card::card_key;
use crate::resources::planning::cards::filter::CardFilter;
use crate::resources::planning::cards::{self, names};
use crate::resources::store::Tx;

/// A card with the names of what it refers to.
#[derive(Clone, Debug)]
pub struct NamedCard {
    /// The card.
    pub shown: ShownCard,
    /// The key of its parent.
    pub parent: Option<CardKey>,
    /// Its assignees, by name.
    pub assignees: Vec<BoardAssignee>,
    /// Its tags, by name.
    pub tags: Vec<BoardTag>,
    /// The users among the values of its custom fields.
    pub users: Vec<BoardAssignee>,
}

/// A page of the project's cards, as [`cards::list`] reads it, with names. `fields` are the project's custom fields.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn page(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    fields: &[CustomField],
    filter: &CardFilter,
    (after, rows): (Option<CardPosition>, u32),
) -> Result<Vec<NamedCard>> {
    let shown = cards::list(tx, project, call, filter, after, rows).await?;
    let users: Vec<Vec<Uuid>> = shown
        .iter()
        .map(|shown| shown.card().fields.fields.users(fields).map(|(_, user)| user.0).collect())
        .collect();
    let index: Vec<_> = shown.iter().map(ShownCard::index_card).collect();
    let assigned = index.iter().flat_map(|card| &card.user_ids).map(|id| &id.0);
    let people = names::assignees(tx, assigned.chain(users.iter().flatten())).await?;
    let tags = names::tags(tx, index.iter().flat_map(|card| &card.tag_ids).map(|id| &id.0)).await?;
    let parents = keys(tx, index.iter().filter_map(|card| card.parent_id).collect()).await?;
    let named = shown.into_iter().zip(index).zip(users).map(|((shown, card), users)| NamedCard {
        shown,
        parent: card.parent_id.and_then(|parent| parents.get(&parent).cloned()),
        assignees: people.of(card.user_ids.iter().map(|id| &id.0)),
        tags: tags.of(card.tag_ids.iter().map(|id| &id.0)),
        users: people.of(users.iter()),
    });
    Ok(named.collect())
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
