//! Begin an upload in pieces, optionally with the first piece.

use actix_web::http::header::LOCATION;
use auth::actor::ProjectWrite;
use domain::error::Location;
use domain::id::UploadId;
use domain::{Error, Result};
use store::resumable::{self, NewUpload};
use store::{Project, ResumableUploadRef, Tx};
use wire::{Created, NoQuery, OffsetBytes, Reply, Request};

use crate::app::{self, App};
use crate::blobs::resumable::Checkpoint;
use crate::resumable::{Piece, append, delete, finish, headers};
use crate::routes::place::UploadPlace;
use crate::routes::resumable::{UploadAnswer, WithHeaders, progress_headers};
use crate::routes::upload::{MAX_FILE_BYTES, too_large};
use crate::upload_id;
use crate::uploaded_name::UploadedName;

/// Begins an upload. A repeat under the same key answers the current state of the first upload and ignores the
/// repeated piece. After the first upload has expired or was cancelled, a repeat begins another. An upload without a
/// key whose first piece is refused is removed.
///
/// # Errors
/// `PRECONDITION_FAILED`, `INVALID_REQUEST`, `INVALID_CONNECTION_ID`, `PAYLOAD_TOO_LARGE`, `RATE_LIMITED`; `NOT_FOUND`,
/// `FORBIDDEN`; those of [`append`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UploadPlace, NoQuery, Option<OffsetBytes>>,
) -> Result<WithHeaders<Created<UploadAnswer>>> {
    let Request { call, path, body, head, .. } = request;
    headers::require_version(&head)?;
    let connection = path.connection()?;
    if head.header("Upload-Defer-Length").is_some() {
        let message = "is not supported: the length must be known";
        return Err(Error::invalid("Upload-Defer-Length", "unsupported", message).at(Location::Header));
    }
    let length_bytes = headers::bytes(&head, "Upload-Length")?;
    if length_bytes > MAX_FILE_BYTES {
        return Err(too_large());
    }
    let checksum = headers::checksum(&head)?;
    let (metadata, name) = headers::metadata(&head)?;
    let grant = app::presented_grant(&call.actor)?;
    let session = app::granted_session(grant)?.session;
    let _slot = app.slots.take(session)?;
    let project = app::opened_project(grant, &path.project_id)?;
    let new = NewUpload {
        connection,
        parent: path.parent_id,
        name: UploadedName::of_client(name.as_deref())?.name,
        metadata,
        length_bytes,
        checkpoint: serde_json::to_value(Checkpoint::start()).map_err(Error::internal)?,
        expires_at: call.now.plus_seconds(app.uploads.resumable_expiry_secs.into()),
    };
    let place = upload_id::scope(session, new.parent, &new.connection);
    let named = |upload: &UploadId| ResumableUploadRef { project: project.clone(), upload: *upload };
    let begin = async |tx: &mut Tx, project: &Project<ProjectWrite>| {
        path.require(tx, project).await?;
        resumable::create(tx, project, &call, session, &new).await
    };
    let created = app.store.create_unless_there(&call, &project, place, named, begin).await?;

    let at = named(&created.value);
    let taken = match body {
        _ if created.replayed => Ok(()),
        Some(body) => append(&app, &call, &at, 0, Piece { body, checksum }).await.map(drop),
        None if length_bytes == 0 => finish(&app, &call, &at, 0).await,
        None => Ok(()),
    };
    if let Err(error) = taken {
        // The client gets no URL, so only a repeat of the key could continue the upload.
        if call.idempotency_key().is_none()
            && let Err(error) = delete(&app, &call, &at).await
        {
            tracing::info!(%error, upload = %at.upload, "an upload that nobody can name is left to expire");
        }
        return Err(error);
    }
    let record = app.store.read(&call, &at, async |_, upload| Ok(upload.record.clone())).await?;
    let mut headers = progress_headers(record.offset_bytes, record.expires_at);
    let location = format!("/api/v1/file/resumable/{}/{}", grant.project, record.id);
    headers.push((LOCATION, location));
    Ok(WithHeaders { answer: Reply::created(created.map(|_| UploadAnswer::from(&record))), headers })
}
