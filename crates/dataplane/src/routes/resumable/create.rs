//! Begin an upload in pieces; the first may come along.

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, LOCATION};
use auth::actor::ProjectWrite;
use domain::{Error, Result};
use serde_json::Value;
use store::ResumableUploadRef;
use store::resumable::{self, NewUpload};
use wire::{Answer, Created, Head, NoQuery, OffsetBytes, Reply, Request, Schemas};

use crate::app::{self, App};
use crate::blobs::resumable::Checkpoint;
use crate::resumable::{Piece, append, finish, headers};
use crate::routes::place::UploadPlace;
use crate::routes::resumable::{UploadAnswer, standing, with_headers};
use crate::routes::upload::{MAX_FILE_BYTES, too_large};
use crate::uploaded_name::UploadedName;

/// 201 with the upload, where it is, and how far.
pub struct Begun {
    created: Created<UploadAnswer>,
    headers: Vec<(HeaderName, String)>,
}

impl Answer for Begun {
    const CREATES: bool = true;

    fn into_response(self, head: &Head) -> Result<HttpResponse> {
        with_headers(self.created.into_response(head)?, self.headers)
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        Created::<UploadAnswer>::describe(schemas)
    }
}

/// Begins an upload. A repeat with the same key answers the first one as it is now, and ignores what comes along.
///
/// # Errors
/// `PRECONDITION_FAILED`, `INVALID_REQUEST`, `INVALID_CONNECTION_ID`, `PAYLOAD_TOO_LARGE`, `RATE_LIMITED`; `NOT_FOUND`,
/// `FORBIDDEN`; what [`append`] fails by.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UploadPlace, NoQuery, Option<OffsetBytes>>,
) -> Result<Begun> {
    let Request { call, path, body, head, .. } = request;
    headers::require_version(&head)?;
    let connection = path.connection()?;
    if head.header("Upload-Defer-Length").is_some() {
        let message = "is not supported: the length must be known";
        return Err(Error::invalid("header.Upload-Defer-Length", "unsupported", message));
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
    let created = app
        .store
        .create(&call, &project, async |tx, project| {
            path.require(tx, project).await?;
            resumable::create(tx, project, &call, session, &new).await
        })
        .await?;

    let at = ResumableUploadRef { project, upload: created.value };
    match body {
        _ if created.replayed => {}
        Some(body) => drop(append(&app, &call, &at, 0, Piece { body, checksum }).await?),
        None if length_bytes == 0 => finish(&app, &call, &at, 0).await?,
        None => {}
    }
    let record = app.store.read(&call, &at, async |_, upload| Ok(upload.record.clone())).await?;
    let mut headers = standing(record.offset_bytes, record.expires_at);
    let location = format!("/api/v1/file/resumable/{}/{}", grant.project, record.id);
    headers.push((LOCATION, location));
    Ok(Begun { created: Reply::created(created.map(|_| UploadAnswer::from(&record))), headers })
}
