//! Comments on cards. Only the author changes a comment; the author and users who may delete cards delete it.

use auth::actor::{CardRead, CardWrite};
use database::prelude::*;
use database::schema::{card_comments, users};
use domain::id::{CardId, CommentId, HistoryId, UserId};
use domain::people::permission::Permission;
use domain::planning::card::{Comment, CommentBody};
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::text::Text;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::resources::planning::cards::history::{self, Entry, Recorded};
use crate::resources::planning::cards::mentions::{self, WrittenText};
use crate::resources::store::Tx;

/// A card's comments after `after`, oldest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    card: &Card<CardRead>,
    after: Option<CommentId>,
    rows: u32,
) -> Result<Vec<Comment>> {
    let mut query = card_comments::table
        .inner_join(users::table)
        .filter(card_comments::card_id.eq(card.id().0))
        .order(card_comments::id)
        .limit(i64::from(rows))
        .select((CommentRow::as_select(), users::display_name))
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(card_comments::id.gt(after.0));
    }
    let rows: Vec<(CommentRow, String)> = query.load(tx).await?;
    rows.into_iter().map(|(row, author)| row.comment(author)).collect()
}

/// Adds a comment.
///
/// # Errors
/// `CARD_HISTORY_CONFLICT` if the card never had the expected head.
pub async fn create(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    body: &CommentBody,
    expected: Option<HistoryId>,
) -> Result<Recorded<Comment>> {
    let id = CommentId::new(call.now);
    let entries = vec![comment_entry(card, None, Some(comment_value(id, body)))];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::insert_into(card_comments::table)
        .values((
            card_comments::id.eq(id.0),
            card_comments::card_id.eq(card.id().0),
            card_comments::author_id.eq(card.project.user.0),
            card_comments::body.eq(body.as_str()),
            card_comments::created_at.eq(call.now.0),
            card_comments::updated_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    note(tx, card, call, (id, "", body)).await?;
    let written = history::record(tx, card, call, entries, |_| {}).await?;
    let comment = find(tx, card, id).await?;
    Ok(written.map(|_| comment))
}

/// Changes a comment's text.
///
/// # Errors
/// `NOT_FOUND`; `FORBIDDEN` unless the caller is its author; `CARD_HISTORY_CONFLICT` if it changed since the expected head.
pub async fn update(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    change: &CommentChange,
) -> Result<Recorded<Comment>> {
    let comment = find(tx, card, change.id).await?;
    if comment.author_id != card.project.user {
        return Err(Error::forbidden());
    }
    if comment.body == change.body {
        let unchanged = history::record(tx, card, call, Vec::new(), |_| {}).await?;
        return Ok(unchanged.map(|_| comment));
    }
    let entries = vec![comment_entry(
        card,
        Some(comment_value(comment.id, &comment.body)),
        Some(comment_value(comment.id, &change.body)),
    )];
    history::require_unmoved(tx, card, call, change.expected, &entries).await?;
    diesel::update(card_comments::table.find(comment.id.0))
        .set((card_comments::body.eq(change.body.as_str()), card_comments::updated_at.eq(call.now.0)))
        .execute(tx)
        .await?;
    note(tx, card, call, (comment.id, comment.body.as_str(), &change.body)).await?;
    let written = history::record(tx, card, call, entries, |_| {}).await?;
    Ok(written.map(|_| Comment { body: change.body.clone(), updated_at: call.now, ..comment }))
}

/// Deletes a comment.
///
/// # Errors
/// `NOT_FOUND`; `FORBIDDEN` unless the caller is its author or may delete cards; `CARD_HISTORY_CONFLICT` if it changed since
/// the expected head.
pub async fn delete(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    id: CommentId,
    expected: Option<HistoryId>,
) -> Result<Recorded<()>> {
    let comment = find(tx, card, id).await?;
    let may_moderate = card.project.permissions.contains(Permission::CardDelete);
    if comment.author_id != card.project.user && !may_moderate {
        return Err(Error::forbidden());
    }
    let entries = vec![comment_entry(card, Some(comment_value(id, &comment.body)), None)];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::delete(card_comments::table.find(id.0)).execute(tx).await?;
    let written = history::record(tx, card, call, entries, |_| {}).await?;
    Ok(written.map(|_| ()))
}

/// A change of a comment.
#[derive(Clone, Debug)]
pub struct CommentChange {
    /// The comment.
    pub id: CommentId,
    /// Its new text.
    pub body: CommentBody,
    /// The history head that the client has seen.
    pub expected: Option<HistoryId>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = card_comments)]
struct CommentRow {
    id: Uuid,
    card_id: Uuid,
    author_id: Uuid,
    body: String,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl CommentRow {
    fn comment(self, author_display_name: String) -> Result<Comment> {
        let body = Text::try_from(self.body).map_err(Error::internal)?;
        Ok(Comment {
            id: CommentId(self.id),
            card_id: CardId(self.card_id),
            body: CommentBody::try_from(body).map_err(Error::internal)?,
            author_id: UserId(self.author_id),
            author_display_name,
            created_at: Timestamp::from(self.created_at),
            updated_at: Timestamp::from(self.updated_at),
        })
    }
}

/// Notes whom a comment mentions.
async fn note(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    (id, before, after): (CommentId, &str, &CommentBody),
) -> Result<()> {
    let text = WrittenText { card: card.id(), comment: Some(id), before, after: after.as_str() };
    mentions::note(tx, &card.project, call, &[text]).await
}

/// A comment of a locked card.
async fn find(tx: &mut Tx, card: &Card<CardWrite>, id: CommentId) -> Result<Comment> {
    let row: Option<(CommentRow, String)> = card_comments::table
        .find(id.0)
        .inner_join(users::table)
        .filter(card_comments::card_id.eq(card.id().0))
        .select((CommentRow::as_select(), users::display_name))
        .first(tx)
        .await
        .optional()?;
    let (row, author) = row.ok_or_else(Error::not_found)?;
    row.comment(author)
}

fn comment_entry(card: &Card<CardWrite>, before: Option<Value>, after: Option<Value>) -> Entry {
    Entry::new(card.id(), HistoryKind::Commented, FieldChanges::of_element("comment", before, after))
}

pub(in crate::resources::planning) fn comment_value(id: CommentId, body: &CommentBody) -> Value {
    json!({ "id": id, "body": body })
}
