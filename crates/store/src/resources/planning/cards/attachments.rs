//! Attachments of cards. Their bytes are files of the project, as those of objects are: stored once for each content,
//! counted to the project's owner, and forgotten when no card, no branch and no commit refers to them.

use std::collections::HashMap;
use std::slice;

use auth::actor::{CardDelete, CardRead, CardWrite};
use database::decode;
use database::prelude::*;
use database::schema::{card_attachments, cards};
use diesel::sql_types::{Array, BigInt, Binary, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::object::{FileRef, Sha256Hash};
use domain::content::upload::NewFile;
use domain::id::{AttachmentId, CardId, HistoryId, UserId};
use domain::planning::attachment::{CARD_MAX_ATTACHMENTS, CardAttachment};
use domain::planning::history::{ATTACHMENT, FieldChanges, HistoryHead, HistoryKind};
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::resources::planning::cards::history::{self, Entry, Recorded};
use crate::resources::store::Tx;
use crate::resources::stored_files::{self, StoredFile};

/// A stored file that is to be attached.
#[derive(Clone, Debug)]
pub struct NewCardAttachment {
    /// The name of the file.
    pub name: Name,
    /// Its media type.
    pub media_type: String,
    /// Its bytes.
    pub file: NewFile,
}

/// An attachment that was added, as an idempotency key keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AddedAttachment {
    /// The attachment.
    pub attachment: CardAttachment,
    /// The card's head.
    pub head: HistoryHead,
    /// The blob that has the bytes: an earlier one if the project had them already.
    pub blob_key: String,
}

/// A card's attachments, oldest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, card: &Card<CardRead>) -> Result<Vec<CardAttachment>> {
    of_card(tx, card.id()).await
}

/// The attachments that a card has now. The caller has decided on access to it.
pub(in crate::resources::planning) async fn of_card(
    tx: &mut Tx,
    card: CardId,
) -> Result<Vec<CardAttachment>> {
    load(tx, &[card], None).await?.into_iter().map(AttachmentRow::attachment).collect()
}

/// The attachments of each of several cards, oldest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub(in crate::resources::planning) async fn of_cards(
    tx: &mut Tx,
    cards: &[CardId],
) -> Result<HashMap<CardId, Vec<CardAttachment>>> {
    let mut attachments: HashMap<CardId, Vec<CardAttachment>> = HashMap::new();
    for row in load(tx, cards, None).await? {
        attachments.entry(CardId(row.card_id)).or_default().push(row.attachment()?);
    }
    Ok(attachments)
}

/// The file of an attachment.
///
/// # Errors
/// `NOT_FOUND`; `UNAVAILABLE`.
pub async fn file(tx: &mut Tx, card: &Card<CardRead>, id: AttachmentId) -> Result<StoredFile> {
    let row = find(tx, card, id).await?;
    let (blob_key, stored_at) = (row.blob_key.clone(), row.stored_at.into());
    let attachment = row.attachment()?;
    Ok(StoredFile { file: attachment.file(), name: attachment.name, blob_key, stored_at })
}

/// Requires that a card has room for one more attachment, before its bytes are sent. [`add`] checks again.
///
/// # Errors
/// `NOT_FOUND` if the project has no such card; `LIMIT_REACHED`.
pub async fn require_room(tx: &mut Tx, project: &Project<CardWrite>, card: CardId) -> Result<()> {
    require_card(tx, project, card).await?;
    check_room(tx, card).await
}

/// Requires that the project has a card, without waiting for those who change it.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn require_card(tx: &mut Tx, project: &Project<CardWrite>, card: CardId) -> Result<()> {
    let found: Option<Uuid> = cards::table
        .filter(cards::id.eq(card.0).and(cards::project_id.eq(project.record.id.0)))
        .select(cards::id)
        .first(tx)
        .await
        .optional()?;
    found.map(|_| ()).ok_or_else(Error::not_found)
}

/// Attaches a stored file to a card.
///
/// # Errors
/// `LIMIT_REACHED`; `UNAVAILABLE`.
pub async fn add(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    new: &NewCardAttachment,
) -> Result<AddedAttachment> {
    check_room(tx, card.id()).await?;
    let (id, project) = (AttachmentId::new(call.now), card.project.record.id);
    stored_files::insert(tx, project, slice::from_ref(&new.file), call.now).await?;
    diesel::insert_into(card_attachments::table)
        .values((
            card_attachments::id.eq(id.0),
            card_attachments::card_id.eq(card.id().0),
            card_attachments::project_id.eq(project.0),
            card_attachments::sha256.eq(new.file.sha256.0.as_slice()),
            card_attachments::name.eq(new.name.as_str()),
            card_attachments::media_type.eq(new.media_type.as_str()),
            card_attachments::author_id.eq(card.project.user.0),
            card_attachments::created_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    let row = find(tx, card, id).await?;
    let blob_key = row.blob_key.clone();
    let attachment = row.attachment()?;
    let entries = vec![entry(card, None, Some(&attachment))];
    let head = history::record(tx, card, call, entries, |_| {}).await?.head();
    Ok(AddedAttachment { attachment, head, blob_key })
}

/// Removes an attachment. The project forgets the file if nothing else refers to it; its blob is left to the sweep.
///
/// # Errors
/// `NOT_FOUND`; `CARD_HISTORY_CONFLICT` if the attachment moved since the expected head.
pub async fn delete(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    id: AttachmentId,
    expected: Option<HistoryId>,
) -> Result<Recorded<()>> {
    let deleted = find(tx, card, id).await?.attachment()?;
    let entries = vec![entry(card, Some(&deleted), None)];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::delete(card_attachments::table.find(id.0)).execute(tx).await?;
    let written = history::record(tx, card, call, entries, |_| {}).await?;
    stored_files::release(tx, card.project.record.id, &[deleted.file()]).await?;
    Ok(written.map(|_| ()))
}

/// The files of a card that is about to be deleted, to be released after that.
pub(super) async fn attached_files(tx: &mut Tx, card: &Card<CardDelete>) -> Result<Vec<FileRef>> {
    let rows = load(tx, &[card.id()], None).await?;
    rows.into_iter().map(|row| Ok(row.attachment()?.file())).collect()
}

async fn check_room(tx: &mut Tx, card: CardId) -> Result<()> {
    let of_card = card_attachments::table.filter(card_attachments::card_id.eq(card.0));
    let current: i64 = of_card.count().get_result(tx).await?;
    let current = u64::try_from(current).map_err(Error::internal)?;
    if current < CARD_MAX_ATTACHMENTS {
        return Ok(());
    }
    Err(Error::limit_reached("attachments of a card", CARD_MAX_ATTACHMENTS, current))
}

async fn find<P>(tx: &mut Tx, card: &Card<P>, id: AttachmentId) -> Result<AttachmentRow> {
    load(tx, &[card.id()], Some(id)).await?.pop().ok_or_else(Error::not_found)
}

async fn load(tx: &mut Tx, cards: &[CardId], only: Option<AttachmentId>) -> Result<Vec<AttachmentRow>> {
    let rows = Statement::new(include_str!("attachments/list.sql"))
        .bind::<Array<SqlUuid>, _>(cards.iter().map(|card| card.0).collect::<Vec<_>>())
        .bind::<Nullable<SqlUuid>, _>(only.map(|id| id.0))
        .load(tx)
        .await?;
    Ok(rows)
}

fn entry(card: &Card<CardWrite>, before: Option<&CardAttachment>, after: Option<&CardAttachment>) -> Entry {
    let value = |attachment: &CardAttachment| -> Value {
        json!({
            "id": attachment.id,
            "name": attachment.name,
            "size": attachment.size,
            "mimeType": attachment.mime_type,
            "sha256": attachment.sha256,
        })
    };
    let changes = FieldChanges::of_element(ATTACHMENT, before.map(value), after.map(value));
    Entry::new(card.id(), HistoryKind::Updated, changes)
}

#[derive(QueryableByName)]
struct AttachmentRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    media_type: String,
    #[diesel(sql_type = Binary)]
    sha256: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    size_bytes: i64,
    #[diesel(sql_type = Text)]
    blob_key: String,
    #[diesel(sql_type = Timestamptz)]
    stored_at: OffsetDateTime,
    #[diesel(sql_type = SqlUuid)]
    author_id: Uuid,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

impl AttachmentRow {
    fn attachment(self) -> Result<CardAttachment> {
        Ok(CardAttachment {
            id: AttachmentId(self.id),
            name: decode::name(&self.name)?,
            size: u64::try_from(self.size_bytes).map_err(Error::internal)?,
            mime_type: self.media_type,
            sha256: Sha256Hash(self.sha256.as_slice().try_into().map_err(Error::internal)?),
            author_id: UserId(self.author_id),
            author_display_name: self.display_name,
            created_at: Timestamp::from(self.created_at),
        })
    }
}
