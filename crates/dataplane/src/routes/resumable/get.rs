//! Read the progress of an upload in pieces, and its objects.

use actix_web::HttpResponse;
use actix_web::http::header::HeaderName;
use auth::actor::ProjectWrite;
use domain::Result;
use domain::upload::UploadStatus;
use serde_json::Value;
use wire::{HandlerAnswer, NoQuery, Reply, Request, RequestHead, Schemas};

use crate::app::{self, App};
use crate::resumable::{finish, headers};
use crate::routes::resumable::{UploadAnswer, UploadPath, progress_headers, with_headers};

/// 200 with the upload, and with the headers of the protocol.
pub struct UploadReply {
    upload: Reply<UploadAnswer>,
    headers: Vec<(HeaderName, String)>,
}

impl HandlerAnswer for UploadReply {
    fn into_response(self, head: &RequestHead) -> Result<HttpResponse> {
        with_headers(self.upload.into_response(head)?, self.headers)
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        Reply::<UploadAnswer>::describe(schemas)
    }
}

/// Reads an upload. An interrupted upload of which all bytes have arrived is finished first: a client that sees no
/// missing bytes sends nothing more.
///
/// # Errors
/// `PRECONDITION_FAILED` only for HEAD, since the protocol has no GET; `NOT_FOUND`; those of attaching.
pub async fn handle(app: App, request: Request<ProjectWrite, UploadPath>) -> Result<UploadReply> {
    let Request { call, path, head, query: NoQuery {}, .. } = request;
    if head.is_head() {
        headers::require_version(&head)?;
    }
    let at = path.target(app::presented_grant(&call.actor)?)?;
    let look = async || app.store.read(&call, &at, async |_, upload| Ok(upload.record.clone())).await;
    let mut record = look().await?;
    if record.status() == UploadStatus::Converting && !record.is_written {
        finish(&app, &call, &at, record.length_bytes).await?;
        record = look().await?;
    }
    let mut headers = progress_headers(record.offset_bytes, record.expires_at);
    headers.push((HeaderName::from_static("upload-length"), record.length_bytes.to_string()));
    if !record.metadata.is_empty() {
        headers.push((HeaderName::from_static("upload-metadata"), record.metadata.clone()));
    }
    Ok(UploadReply { upload: Reply::ok(UploadAnswer::from(&record)), headers })
}
