//! Attach files to cards, and download them.
//!
//! Bytes are hashed and stored as they arrive, like those of every upload. Then one transaction attaches the file, with
//! its row in the card's history and the outcome under the idempotency key. Nothing is converted: an attachment joins
//! no tree.

use std::slice;

use api::planning::cards::attached_files::{AttachFile, AttachmentResponse, DownloadAttachment};
use auth::actor::{ActorGrant, CardRead, CardWrite};
use domain::Result;
use domain::content::upload::{FILE_MAX_BYTES, NewFile};
use domain::id::UploadId;
use store::planning::cards::attachments::{self, AddedAttachment, NewCardAttachment};
use store::{Call, CardRef, Outcome};
use wire::{Download, IdempotentReply, Reply, Request, Upload};

use crate::app::{self, App};
use crate::attach::cards::keep_attached;
use crate::blobs::BlobKey;
use crate::grant_end::{grant_end, while_readable};
use crate::multipart::MAX_OVERHEAD_BYTES;
use crate::multipart::head::Boundary;
use crate::routes::download::send;
use crate::routes::upload::{ReceivedFile, receive};
use crate::size_limit::too_large;

/// Receives and stores a file, and attaches it to a card.
///
/// # Errors
/// `NOT_FOUND`, `FORBIDDEN`, `LIMIT_REACHED`, `INVALID_UPLOAD`, `PAYLOAD_TOO_LARGE`, `REQUEST_TIMEOUT`, `RATE_LIMITED`;
/// `UNAUTHENTICATED` if the grant ends while the body arrives; `UNAVAILABLE`.
pub async fn attach(
    app: App,
    request: Request<CardWrite, AttachFile, Upload>,
) -> Result<IdempotentReply<AttachmentResponse>> {
    let Request { call, path, body, .. } = request;
    let grant = app::presented_grant(&call.actor)?;
    let project = app::readable_project(grant, &path.project_id)?;
    let _slot = app.slots.take_for(&call.actor, grant)?;
    let at = CardRef { project, card: path.card_id };
    check(&app, &call, &at, &body).await?;
    let boundary = Boundary::of_content_type(&body.content_type)?;
    let blob = BlobKey { project: grant.project, upload: UploadId::new(call.now) };
    let received = tokio::select! {
        received = receive(&app.blobs, blob, &boundary, body, |_| {}) => received?,
        ended = grant_end(&app.store, call.actor.user, grant, async || {}) => return Err(ended),
    };
    // Boxed: with both, the future would not fit the stack of a debug build.
    let added = Box::pin(attach_received(&app, &call, (&at, grant), (blob, received))).await?;
    Ok(Reply::idempotent(added.map(|added| AttachmentResponse::new(added.attachment, added.head))))
}

/// Refuses a file that can't be attached, before its bytes arrive. A repeat under an idempotency key may find the card
/// full.
async fn check(app: &App, call: &Call<CardWrite>, at: &CardRef, body: &Upload) -> Result<()> {
    let is_keyed = call.idempotency_key().is_some();
    app.store
        .read_without_tx(call, &at.project, async |tx, project| match is_keyed {
            true => attachments::require_card(tx, project, at.card).await,
            false => attachments::require_room(tx, project, at.card).await,
        })
        .await?;
    let Some(length) = body.length_bytes else { return Ok(()) };
    if length > FILE_MAX_BYTES + MAX_OVERHEAD_BYTES {
        return Err(too_large());
    }
    let least = length.saturating_sub(MAX_OVERHEAD_BYTES);
    app.stored_bytes.check(&app.store, at.project.project, least).await
}

/// Attaches a stored file, once for its idempotency key. Removes its blob if the project has the bytes already, or
/// refuses them for good; the sweep decides about one whose transaction has an unknown outcome.
async fn attach_received(
    app: &App,
    call: &Call<CardWrite>,
    (at, grant): (&CardRef, &ActorGrant),
    (blob, received): (BlobKey, ReceivedFile),
) -> Result<Outcome<AddedAttachment>> {
    let ReceivedFile { name, head, stored } = received;
    let new = NewCardAttachment {
        media_type: import::media_type(&name.name, &head),
        name: name.name,
        file: NewFile { sha256: stored.sha256, size: stored.size_bytes, blob_key: blob.to_string() },
    };
    let add = async || {
        app.store.create(call, at, async |tx, card| attachments::add(tx, card, call, &new).await).await
    };
    let added = keep_attached(app, call, grant, &new.file, add).await;
    if added.as_ref().is_err_and(|error| !error.is_server_fault()) {
        app.blobs.remove_unneeded(slice::from_ref(&new.file.blob_key)).await;
    }
    added
}

/// Sends the file of an attachment.
///
/// # Errors
/// `NOT_FOUND`, `PRECONDITION_FAILED`, `RANGE_NOT_SATISFIABLE`, `UNAVAILABLE`.
pub async fn download(app: App, request: Request<CardRead, DownloadAttachment>) -> Result<Download> {
    let Request { call, path, head, .. } = request;
    let project = app::readable_project(app::presented_grant(&call.actor)?, &path.project_id)?;
    let at = CardRef { project, card: path.card_id };
    let read = async |tx: &mut _, card: &_| attachments::file(tx, card, path.attachment_id).await;
    let stored = app.store.read(&call, &at, read).await?;
    let answer = send(app.blobs, &head, stored).await?;
    Ok(while_readable(answer, app.store, call, at))
}
