//! Begin an upload in pieces, optionally with the first piece.

use crate::routes::place;
use actix_web::http::header::LOCATION;
use api::content::uploads::resumable::{CreateResumableUpload, ResumableUploadResponse};
use auth::actor::ProjectWrite;
use domain::content::upload::{FILE_MAX_BYTES, UploadStatus};
use domain::id::UploadId;
use domain::{Error, Result, Rule};
use store::content::attachments;
use store::content::resumable::parts::{self, JoinedParts};
use store::content::resumable::{self, NewUpload};
use store::{Call, Project, ResumableUploadRef, Tx};
use wire::{Created, OffsetBytes, Reply, Request};

use crate::app::{self, App};
use crate::blobs::resumable::Checkpoint;
use crate::resumable::headers::{self, Concatenation, Metadata};
use crate::resumable::{Piece, append, delete, finish};
use crate::routes::resumable::{WithHeaders, answer, complete_header, headers_of, location};
use crate::size_limit::too_large;
use crate::upload_id;
use crate::uploaded_name::UploadedName;

/// Begins an upload. A repeat under the same key answers the current state of the first upload and ignores the
/// repeated piece. After the first upload has expired or was cancelled, a repeat begins another. An upload without a
/// key whose first piece is refused is removed.
///
/// # Errors
/// `PRECONDITION_FAILED`, `FILE_NOT_REPLACEABLE`, `INVALID_REQUEST`, `INVALID_CONNECTION_ID`, `PAYLOAD_TOO_LARGE`, `RATE_LIMITED`; `NOT_FOUND`,
/// `FORBIDDEN`; those of [`append`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CreateResumableUpload, Option<OffsetBytes>>,
) -> Result<WithHeaders<Created<ResumableUploadResponse>>> {
    let Request { call, path, body, head, .. } = request;
    headers::require_version(&head)?;
    let connection = place::connection(&path)?;
    let concatenation = headers::concatenation(&head)?;
    let is_final = matches!(concatenation, Concatenation::Final(_));
    let is_last = headers::is_last(&head)?;
    let length_bytes = match headers::length_or_deferred(&head) {
        _ if is_final => None,
        Ok(None) if is_last && body.is_none() => Some(0),
        length => length?,
    };
    if is_final && (body.is_some() || head.header(headers::LENGTH).is_some()) {
        let message = "takes neither bytes nor a length: they are those of its parts";
        return Err(headers::invalid(headers::CONCAT, Rule::conflict("Upload-Length"), message));
    }
    if length_bytes.is_some_and(|length| length > FILE_MAX_BYTES) {
        return Err(too_large());
    }
    let checksum = headers::checksum(&head)?;
    let Metadata { text: metadata, file_name, replaces } = Metadata::of_head(&head)?;
    if replaces.as_ref().is_some_and(|(object, _)| *object != path.parent_id) {
        let message = "must replace the file of the object in the path";
        return Err(headers::invalid("Upload-Metadata", Rule::conflict("parentId"), message));
    }
    let grant = app::presented_grant(&call.actor)?;
    let session = app::granted_session(grant)?.session;
    let _slot = app.slots.take(session)?;
    let project = app::opened_project(grant, &path.project_id)?;
    let new = NewUpload {
        connection,
        parent: path.parent_id,
        name: UploadedName::of_client(file_name.as_deref())?.name,
        metadata,
        length_bytes,
        is_partial: concatenation == Concatenation::Partial,
        parts: match concatenation {
            Concatenation::Final(parts) => Some(parts),
            Concatenation::None | Concatenation::Partial => None,
        },
        checkpoint: serde_json::to_value(Checkpoint::start()).map_err(Error::internal)?,
        expires_at: call.now.plus_seconds(app.bounds.resumable_expiry_secs.into()),
    };
    let place = upload_id::scope(session, new.parent, &new.connection);
    let named = |upload: &UploadId| ResumableUploadRef { project: project.clone(), upload: *upload };
    let begin = async |tx: &mut Tx, project: &Project<ProjectWrite>| {
        place::require(&path, tx, project).await?;
        if let Some((object, replacement)) = &replaces {
            attachments::require_replaceable(tx, project, *object, replacement).await?;
        }
        let Some(parts) = &new.parts else {
            return resumable::create(tx, project, &call, session, &new).await;
        };
        match parts::find(tx, project, &call, session, parts).await? {
            JoinedParts::Joined(upload) => Ok(upload),
            JoinedParts::Complete { length_bytes } if length_bytes > FILE_MAX_BYTES => Err(too_large()),
            JoinedParts::Complete { length_bytes } => {
                let new = NewUpload { length_bytes: Some(length_bytes), ..new.clone() };
                resumable::create(tx, project, &call, session, &new).await
            }
        }
    };
    let created = app.store.create_unless_there(&call, &project, place, named, begin).await?;

    let at = named(&created.value);
    let taken = match body {
        _ if created.replayed => Ok(()),
        Some(body) => {
            let piece = Piece { body, checksum, length_bytes: None, is_last };
            append(&app, &call, &at, 0, piece).await.map(drop)
        }
        None if is_final => continue_joining(&app, &call, &at).await,
        None if length_bytes == Some(0) && !new.is_partial => finish(&app, &call, &at, 0).await,
        None => Ok(()),
    };
    if let Err(error) = taken {
        // The client gets no URL, so only a repeat of the key, or of the parts, could continue the upload.
        if call.idempotency_key().is_none()
            && !is_final
            && let Err(error) = delete(&app, &call, &at).await
        {
            tracing::info!(%error, upload = %at.upload, "an upload that nobody can name is left to expire");
        }
        return Err(error);
    }
    let record = app.store.read(&call, &at, async |_, upload| Ok(upload.record.clone())).await?;
    let mut headers = headers_of(&record);
    headers.push((LOCATION, location(grant.project, record.id)));
    headers.extend(complete_header(&head, is_last));
    Ok(WithHeaders { answer: Reply::created(created.map(|_| answer(&record))), headers })
}

/// Joins the parts of an upload that a repeated request may have found half joined, or attached.
async fn continue_joining(app: &App, call: &Call<ProjectWrite>, at: &ResumableUploadRef) -> Result<()> {
    let record = app.store.read(call, at, async |_, upload| Ok(upload.record.clone())).await?;
    match record.status() {
        UploadStatus::Converting => finish(app, call, at, record.offset_bytes).await,
        _ => Ok(()),
    }
}
