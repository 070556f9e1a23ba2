//! Cards as rows: read in full, and written where they changed.

use diesel::sql_types::{Array, BigInt, Bool, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::card::{CardState, SearchText, search_document};
use domain::{Error, Result};

use crate::db::prelude::*;
use crate::resources::store::Tx;

/// Writes a card and its index row as they are `after` a change. Long text that did not change is not written
/// again, and the search index is touched only where a text did. What the index row says of boards is `boards`' own.
pub(super) async fn save(tx: &mut Tx, before: &CardState, after: &mut CardState) -> Result<()> {
    let (old, new) = (&before.card, &after.card);
    let text_changed =
        (&old.name, &old.resolution, &old.description) != (&new.name, &new.resolution, &new.description);
    let document = text_changed.then(|| search_document(&new.name, &new.resolution, &new.description));
    let written = Statement::new(include_str!("update.sql"))
        .bind::<SqlUuid, _>(new.id.0)
        .bind::<Text, _>(new.name.as_str())
        .bind::<Nullable<Text>, _>((old.description != new.description).then_some(new.description.as_str()))
        .bind::<Nullable<Text>, _>((old.resolution != new.resolution).then_some(new.resolution.as_str()))
        .bind::<Integer, _>(new.effort.get())
        .bind::<Nullable<Timestamptz>, _>(new.deadline.map(|time| time.0))
        .bind::<Bool, _>(new.is_open)
        .bind::<Nullable<Timestamptz>, _>(new.closed_at.map(|time| time.0))
        .bind::<Timestamptz, _>(new.updated_at.0)
        .bind::<SqlUuid, _>(after.head.id.0)
        .bind::<BigInt, _>(after.head.sequence.0)
        .bind::<Array<SqlUuid>, _>(after.tag_ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(after.user_ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .bind::<Nullable<Text>, _>(document.as_deref())
        .execute(tx)
        .await?;
    if written != 1 {
        return Err(Error::internal("a locked card is gone"));
    }
    if let Some(document) = document {
        after.search_text = SearchText::cut(&document);
    }
    Ok(())
}
