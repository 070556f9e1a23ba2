//! Read the progress of an upload in pieces, and its objects.

use actix_web::http::header::HeaderName;
use api::content::uploads::resumable::{GetResumableUpload, ResumableUploadResponse};
use auth::actor::ProjectWrite;
use domain::content::upload::UploadStatus;
use domain::{Error, Result};
use store::content::resumable::UploadRecord;
use store::{Call, ResumableUploadRef};
use wire::{Reply, Request, RequestHead};

use crate::app::{self, App};
use crate::blobs::resumable::Checkpoint;
use crate::resumable::destination::UploadPermission;
use crate::resumable::{finish, headers};
use crate::routes::resumable::{WithHeaders, address, answer, complete_header, headers_of, target};

/// Reads an upload to a tree.
///
/// # Errors
/// Those of [`read`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, GetResumableUpload>,
) -> Result<WithHeaders<Reply<ResumableUploadResponse>>> {
    let Request { call, path, head, .. } = request;
    let at = target(&path, app::presented_grant(&call.actor)?)?;
    let (record, headers) = read(&app, &call, &at, &head).await?;
    Ok(WithHeaders { answer: Reply::ok(answer(&record)?), headers })
}

/// Reads an upload, of any destination, with the headers of the answer. An interrupted upload of which all bytes have
/// arrived is finished first: a client that sees no missing bytes sends nothing more.
///
/// # Errors
/// `PRECONDITION_FAILED` only for HEAD, since the protocol has no GET; `NOT_FOUND`; those of attaching.
pub(in crate::routes) async fn read<P: UploadPermission>(
    app: &App,
    call: &Call<P>,
    at: &ResumableUploadRef,
    head: &RequestHead,
) -> Result<(UploadRecord, Vec<(HeaderName, String)>)> {
    if head.is_head() {
        headers::require_version(head)?;
    }
    let look = async || app.store.read(call, at, async |_, upload| Ok(upload.record.clone())).await;
    let mut record = look().await?;
    if record.status() == UploadStatus::Converting && !record.is_written {
        finish(app, call, at, record.offset_bytes).await?;
        record = look().await?;
    }
    let mut headers = headers_of(&record);
    match record.length_bytes {
        Some(length) => headers.push((HeaderName::from_static("upload-length"), length.to_string())),
        None => headers.push((HeaderName::from_static("upload-defer-length"), "1".to_owned())),
    }
    let checkpoint: Checkpoint =
        serde_json::from_value(record.checkpoint.clone()).map_err(Error::internal)?;
    if let Some(crc64) = checkpoint.crc64.filter(|_| checkpoint.size_bytes == record.offset_bytes) {
        headers.push((HeaderName::from_static("upload-crc64nvme"), format!("{crc64:016x}")));
    }
    let concatenation = record.parts.as_ref().map(|parts| {
        let part = |part: &_| address(&ResumableUploadRef { upload: *part, ..at.clone() });
        let urls: Vec<String> = parts.iter().map(part).collect();
        format!("final;{}", urls.join(" "))
    });
    if let Some(text) = concatenation.or_else(|| record.is_partial.then(|| "partial".to_owned())) {
        headers.push((HeaderName::from_static("upload-concat"), text));
    }
    headers.extend(complete_header(head, record.is_attached()));
    if !record.metadata.is_empty() {
        headers.push((HeaderName::from_static("upload-metadata"), record.metadata.clone()));
    }
    Ok((record, headers))
}
