//! Uploads in pieces to cards: their bound, and the transaction that attaches one.

use auth::actor::CardWrite;
use database::prelude::*;
use database::schema::resumable_uploads;
use domain::id::{CardId, UploadId};
use domain::planning::attachment::USER_MAX_ATTACHMENT_UPLOADS;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::access::rows::resumable_upload::UploadedAttachment;
use crate::resources::content::resumable::in_progress;
use crate::resources::limits;
use crate::resources::planning::cards::attachments::{self, AddedAttachment, NewCardAttachment};
use crate::resources::store::Tx;

/// Requires that a card has room for one more attachment, and that the caller may begin one more upload.
///
/// # Errors
/// `NOT_FOUND` if the project has no such card; `LIMIT_REACHED`.
pub async fn require_room(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    card: CardId,
) -> Result<()> {
    attachments::require_room(tx, project, card).await?;
    let user = call.actor.user.0;
    let count = async |tx: &mut Tx| -> Result<i64> {
        let unfinished = resumable_uploads::table
            .filter(resumable_uploads::user_id.eq(user).and(resumable_uploads::card_id.is_not_null()))
            .filter(
                resumable_uploads::attachment.is_null().and(resumable_uploads::expires_at.gt(call.now.0)),
            );
        Ok(unfinished.count().get_result(tx).await?)
    };
    let counted = ("attachmentUploads", user);
    limits::count_and_refuse(tx, counted, USER_MAX_ATTACHMENT_UPLOADS, count).await
}

/// Attaches the file of an upload to its card, at most once: the record of the upload becomes that of the attachment in
/// the same transaction.
///
/// # Errors
/// `LIMIT_REACHED`; `UPLOAD_IN_PROGRESS` if another writer holds the lease by now; `UNAVAILABLE`.
pub async fn attach(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    (upload, writer): (UploadId, Uuid),
    new: &NewCardAttachment,
) -> Result<AddedAttachment> {
    let added = attachments::add(tx, card, call, new).await?;
    let kept = UploadedAttachment { attachment: added.attachment.clone(), head: added.head };
    let kept = serde_json::to_value(kept).map_err(Error::internal)?;
    let of_writer = resumable_uploads::table.find(upload.0).filter(
        resumable_uploads::card_id
            .eq(card.id().0)
            .and(resumable_uploads::writer.eq(writer))
            .and(resumable_uploads::attachment.is_null()),
    );
    let updated = diesel::update(of_writer).set(resumable_uploads::attachment.eq(kept)).execute(tx).await?;
    if updated == 1 { Ok(added) } else { Err(in_progress()) }
}
