//! Attach files to cards in pieces. The protocol is that of uploads to a tree ([`crate::routes::resumable`]); addresses
//! and permission are those of attachments. An upload belongs to its user and its card, and to no session.

use api::planning::cards::attached_files::AttachPath;
use api::planning::cards::attachment_uploads::{
    AppendAttachmentUpload, AttachmentUploadPath, AttachmentUploadResponse, CreateAttachmentUpload,
    DeleteAttachmentUpload, DescribeAttachmentUpload, DescribeAttachmentUploads, GetAttachmentUpload,
    OverrideAttachmentUpload,
};
use auth::actor::CardWrite;
use domain::content::project::ProjectRef;
use domain::{Result, Rule};
use store::content::resumable::{UploadDestination, UploadRecord, card_uploads};
use store::{Call, Outcome, Project, ResumableUploadRef, Tx};
use wire::{Created, Endpoint, OffsetBytes, Reply, Request, endpoint, options};

use crate::app::{self, App};
use crate::resumable::headers;
use crate::resumable::protocol::TUS;
use crate::routes::resumable::append::append;
use crate::routes::resumable::begin::{BeginHeaders, BeginPlace, BegunUpload, begin};
use crate::routes::resumable::delete::delete;
use crate::routes::resumable::get::read;
use crate::routes::resumable::method_override::override_method;
use crate::routes::resumable::{NoContent, WithHeaders, describe};

/// The endpoints of attachments in pieces. All speak tus.
pub fn endpoints() -> Vec<Endpoint<App>> {
    let endpoints = [
        options::<DescribeAttachmentUploads, _, _>(describe::handle),
        endpoint(create_upload),
        options::<DescribeAttachmentUpload, _, _>(describe::handle),
        endpoint(get_upload),
        endpoint(append_piece),
        endpoint(delete_upload),
        endpoint(override_upload),
    ];
    endpoints.into_iter().map(|endpoint| endpoint.speaks(&TUS)).collect()
}

/// Begins an upload to a card. Without an idempotency key, one for which the owner has no room is refused before its
/// bytes are sent; a repeat may name an upload that is attached already.
///
/// # Errors
/// `PRECONDITION_FAILED`, `LIMIT_REACHED`, `RATE_LIMITED`; those of [`begin`].
async fn create_upload(
    app: App,
    request: Request<CardWrite, CreateAttachmentUpload, Option<OffsetBytes>>,
) -> Result<WithHeaders<Created<AttachmentUploadResponse>>> {
    let Request { call, path, body, head, .. } = request;
    headers::require_version(&head)?;
    let sent = BeginHeaders::of(&head, body.is_some())?;
    if sent.metadata.replaces.is_some() {
        let message = "must not name an object to replace: an attachment belongs to no tree";
        return Err(headers::invalid("Upload-Metadata", Rule::conflict("cardId"), message));
    }
    let AttachPath { project_id, card_id: card } = path;
    let project = readable(&call, &project_id)?;
    let _slot = app.slots.take_for(&call.actor, app::presented_grant(&call.actor)?)?;
    let permit = async |tx: &mut Tx, project: &Project<CardWrite>| {
        card_uploads::require_room(tx, project, &call, card).await
    };
    if let (Some(length), None) = (sent.length_bytes, call.idempotency_key()) {
        // What the caller may not see comes before what its owner has.
        app.store.find(&call, &project).await?;
        app.stored_bytes.check(&app.store, project.project, length).await?;
    }
    let place = BeginPlace { project, destination: UploadDestination::Card(card) };
    let BegunUpload { upload, headers } = begin(&app, &call, (&head, sent, body), place, permit).await?;
    let Outcome { value, replayed } = upload;
    let created = Outcome { value: answer(&value)?, replayed };
    Ok(WithHeaders { answer: Reply::created(created), headers })
}

/// Reads an upload to a card.
///
/// # Errors
/// Those of [`read`].
async fn get_upload(
    app: App,
    request: Request<CardWrite, GetAttachmentUpload>,
) -> Result<WithHeaders<Reply<AttachmentUploadResponse>>> {
    let Request { call, path, head, .. } = request;
    let at = target(&call, &path)?;
    let (record, headers) = read(&app, &call, &at, &head).await?;
    Ok(WithHeaders { answer: Reply::ok(answer(&record)?), headers })
}

/// Appends a piece.
///
/// # Errors
/// Those of [`append`].
async fn append_piece(
    app: App,
    request: Request<CardWrite, AppendAttachmentUpload, OffsetBytes>,
) -> Result<WithHeaders<NoContent>> {
    let Request { call, path, body, head, .. } = request;
    let at = target(&call, &path)?;
    append(&app, &call, &at, &head, body).await
}

/// Removes an upload with its bytes. The attachment that it became stays.
///
/// # Errors
/// Those of [`delete`].
async fn delete_upload(
    app: App,
    request: Request<CardWrite, DeleteAttachmentUpload>,
) -> Result<WithHeaders<NoContent>> {
    let Request { call, path, head, .. } = request;
    let at = target(&call, &path)?;
    delete(&app, &call, &at, &head).await
}

/// Does the work of the method in the header.
///
/// # Errors
/// Those of [`override_method`].
async fn override_upload(
    app: App,
    request: Request<CardWrite, OverrideAttachmentUpload, Option<OffsetBytes>>,
) -> Result<WithHeaders<NoContent>> {
    let Request { call, path, body, head, .. } = request;
    let at = target(&call, &path)?;
    override_method(&app, &call, &at, &head, body).await
}

/// The project of a path, for the bearer of a grant.
///
/// # Errors
/// `NOT_FOUND` if the grant is for another project.
fn readable(call: &Call<CardWrite>, project: &ProjectRef) -> Result<ProjectRef> {
    app::readable_project(app::presented_grant(&call.actor)?, project)
}

/// The upload of a path.
///
/// # Errors
/// `NOT_FOUND` if the grant is for another project.
fn target(call: &Call<CardWrite>, path: &AttachmentUploadPath) -> Result<ResumableUploadRef> {
    let project = readable(call, &path.project_id)?;
    Ok(ResumableUploadRef { project, upload: path.upload_id, card: Some(path.card_id) })
}

/// The answer about an upload to a card.
///
/// # Errors
/// `INTERNAL_ERROR` for an upload to a tree.
fn answer(record: &UploadRecord) -> Result<AttachmentUploadResponse> {
    let attached = record.attached.clone().map(|attached| (attached.attachment, attached.head));
    Ok(AttachmentUploadResponse::new(record.of_card()?, attached))
}
