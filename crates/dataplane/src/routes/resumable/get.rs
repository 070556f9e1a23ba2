//! How far an upload in pieces is, and what it created.

use actix_web::HttpResponse;
use actix_web::http::header::HeaderName;
use auth::actor::ProjectWrite;
use domain::Result;
use domain::upload::UploadStatus;
use serde_json::Value;
use wire::{Answer, Head, NoQuery, Reply, Request, Schemas};

use crate::app::{self, App};
use crate::resumable::{finish, headers};
use crate::routes::resumable::{UploadAnswer, UploadPath, standing, with_headers};

/// 200 with the upload, and with what the protocol wants in headers.
pub struct Standing {
    upload: Reply<UploadAnswer>,
    headers: Vec<(HeaderName, String)>,
}

impl Answer for Standing {
    fn into_response(self, head: &Head) -> Result<HttpResponse> {
        with_headers(self.upload.into_response(head)?, self.headers)
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        Reply::<UploadAnswer>::describe(schemas)
    }
}

/// Says how an upload stands. One of which all has arrived is finished first, where that was interrupted: a client that
/// reads that nothing is missing sends nothing more.
///
/// # Errors
/// `PRECONDITION_FAILED` of HEAD alone, as GET is none of the protocol's; `NOT_FOUND`; what attaching fails by.
pub async fn handle(app: App, request: Request<ProjectWrite, UploadPath>) -> Result<Standing> {
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
    let mut headers = standing(record.offset_bytes, record.expires_at);
    headers.push((HeaderName::from_static("upload-length"), record.length_bytes.to_string()));
    if !record.metadata.is_empty() {
        headers.push((HeaderName::from_static("upload-metadata"), record.metadata.clone()));
    }
    Ok(Standing { upload: Reply::ok(UploadAnswer::from(&record)), headers })
}
