//! Uploads in pieces, by the protocol of tus 1.0: core, creation (with upload, with deferred length), checksum,
//! concatenation, expiration, termination.
//!
//! `tus.io/protocols/resumable-upload` defines the headers; this module maps them to this service. Beside them it takes
//! those of the IETF's draft (draft-ietf-httpbis-resumable-upload-05), in which the last piece says that it is.

pub mod append;
pub mod create;
pub mod delete;
pub mod describe;
pub mod get;
pub mod method_override;

use std::time::{Duration, SystemTime};

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use api::uploads::ResumableUploadResponse;
use domain::id::{ProjectId, UploadId};
use domain::project::ProjectRef;
use domain::time::Timestamp;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::ResumableUploadRef;
use store::resumable::UploadRecord;
use wire::{
    Endpoint, HandlerAnswer, Header, RequestHead, Resource, Schemas, delete, get, options, patch, post,
};

use crate::app::{self, App};
use crate::resumable::headers;
use crate::resumable::protocol::TUS;
use crate::routes::place::UploadPlace;

/// The path of uploads that have no id yet, below the resource's own.
const PLACE: &str = "/{ownerId}/{userId}/{projectId}/{connectionId}/{parentId}";
/// The path of an upload.
const UPLOAD: &str = "/{projectId}/{uploadId}";

/// Headers of tus.
const TUS_RESUMABLE: Header = ("Tus-Resumable", "The version of tus: `1.0.0`.");
const LENGTH: Header = ("Upload-Length", "Size of the whole file, in bytes.");
const DEFER_LENGTH: Header = ("Upload-Defer-Length", "`1` where the size follows with a later piece.");
const OFFSET: Header = ("Upload-Offset", "Number of bytes that have arrived; a piece begins there.");
const METADATA: Header = ("Upload-Metadata", "Names with values in Base64; `filename` is the file's name.");
const CONCAT: Header =
    ("Upload-Concat", "`partial` for a part, or `final;` and the addresses of the parts to join.");
const CHECKSUM: Header = ("Upload-Checksum", "`sha1` or `sha256`, and the hash of the piece in Base64.");
const CRC64NVME: Header = (
    "Upload-Crc64nvme",
    "CRC-64/NVME of the bytes that have arrived, as 16 hexadecimal digits, to compare with the sender's own.",
);
const EXPIRES: Header = ("Upload-Expires", "When the unfinished upload is discarded.");
const LOCATION: Header = ("Location", "The address of the upload.");
const INTEROP_VERSION: Header = (
    headers::INTEROP_VERSION,
    "`6` in the place of `Tus-Resumable`, for the IETF's draft of resumable uploads.",
);
const COMPLETE: Header =
    (headers::COMPLETE, "By the draft: `?1` with the last piece of the file, else `?0`.");
const OVERRIDE: Header = ("X-HTTP-Method-Override", "`PATCH` or `DELETE`.");
/// Headers that describe the service.
const OPTIONS: [Header; 4] = [
    ("Tus-Version", "The versions of tus that the service speaks."),
    ("Tus-Extension", "The extensions of tus that the service speaks."),
    ("Tus-Checksum-Algorithm", "The algorithms for `Upload-Checksum`."),
    ("Tus-Max-Size", "Size of the largest file, in bytes."),
];

/// The endpoints of resumable uploads. All speak tus.
pub fn endpoints() -> Vec<Endpoint<App>> {
    let endpoints = [
        options::<_, UploadPlace, _>(
            PLACE,
            "describeResumableUploads",
            "Read the options of resumable uploads",
            describe::handle,
        )
        .answers(&OPTIONS),
        post(PLACE, "createResumableUpload", "Begin an upload in pieces", create::handle)
            .reads(&[
                TUS_RESUMABLE,
                INTEROP_VERSION,
                COMPLETE,
                LENGTH,
                DEFER_LENGTH,
                METADATA,
                CONCAT,
                CHECKSUM,
            ])
            .answers(&[LOCATION, OFFSET, EXPIRES]),
        options::<_, UploadPath, _>(
            UPLOAD,
            "describeResumableUpload",
            "Read the options of a resumable upload",
            describe::handle,
        )
        .answers(&OPTIONS),
        get(
            UPLOAD,
            "getResumableUpload",
            "Read the progress of an upload in pieces, and its objects",
            get::handle,
        )
        .answers(&[OFFSET, CRC64NVME, LENGTH, DEFER_LENGTH, METADATA, CONCAT, EXPIRES]),
        patch(UPLOAD, "appendResumableUpload", "Upload the next piece", append::handle)
            .reads(&[TUS_RESUMABLE, INTEROP_VERSION, COMPLETE, OFFSET, LENGTH, CHECKSUM])
            .answers(&[OFFSET, EXPIRES]),
        delete(UPLOAD, "deleteResumableUpload", "Cancel an upload in pieces", delete::handle)
            .reads(&[TUS_RESUMABLE, INTEROP_VERSION]),
        post(
            UPLOAD,
            "overrideResumableUpload",
            "PATCH or DELETE by `X-HTTP-Method-Override`, for clients without these methods",
            method_override::handle,
        )
        .reads(&[OVERRIDE, TUS_RESUMABLE, OFFSET, LENGTH, CHECKSUM])
        .answers(&[OFFSET, EXPIRES]),
    ];
    Resource::at("/api/v1/file/resumable")
        .with(endpoints.map(|endpoint| endpoint.speaks(&TUS).answers(&[TUS_RESUMABLE])))
}

/// The path of an upload.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadPath {
    /// The project that the session opened.
    project_id: ProjectRef,
    /// The upload.
    upload_id: UploadId,
}

impl UploadPath {
    /// The target of the path, for the bearer of `grant`.
    ///
    /// # Errors
    /// `NOT_FOUND` if the grant is for another project.
    fn target(&self, grant: &auth::actor::ActorGrant) -> Result<ResumableUploadRef> {
        let project = app::opened_project(grant, &self.project_id)?;
        Ok(ResumableUploadRef { project, upload: self.upload_id })
    }
}

/// The answer about an upload.
pub(super) fn answer(record: &UploadRecord) -> ResumableUploadResponse {
    ResumableUploadResponse { upload: record.view(), map: record.map.clone() }
}

/// An answer with the headers of the protocol.
pub struct WithHeaders<A> {
    answer: A,
    headers: Vec<(HeaderName, String)>,
}

impl<A: HandlerAnswer> HandlerAnswer for WithHeaders<A> {
    const CREATES: bool = A::CREATES;

    fn into_response(self, head: &RequestHead) -> Result<HttpResponse> {
        let mut response = self.answer.into_response(head)?;
        for (name, value) in self.headers {
            let value = HeaderValue::from_str(&value).map_err(Error::internal)?;
            response.headers_mut().insert(name, value);
        }
        Ok(response)
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        A::describe(schemas)
    }
}

/// 204 without a body.
pub struct NoContent;

impl HandlerAnswer for NoContent {
    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        Ok(HttpResponse::NoContent().finish())
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        vec![(204, json!({ "description": "Done; the headers say how things stand" }))]
    }
}

/// The path of an upload.
fn location(project: ProjectId, upload: UploadId) -> String {
    format!("/api/v1/file/resumable/{project}/{upload}")
}

/// The draft's header that tells whether the file is complete, for a request by the draft.
fn complete_header(head: &RequestHead, is_complete: bool) -> Option<(HeaderName, String)> {
    let value = if is_complete { "?1" } else { "?0" };
    headers::is_draft(head).then(|| (HeaderName::from_static("upload-complete"), value.to_owned()))
}

/// The headers for offset and expiry. An upload that joins others has no offset before its end.
fn headers_of(record: &UploadRecord) -> Vec<(HeaderName, String)> {
    let has_offset = record.parts.is_none() || record.map.is_some();
    progress_headers(has_offset.then_some(record.offset_bytes), record.expires_at)
}

/// The headers for offset and expiry.
fn progress_headers(offset_bytes: Option<u64>, expires_at: Timestamp) -> Vec<(HeaderName, String)> {
    let since_epoch = Duration::from_secs(u64::try_from(expires_at.unix_seconds()).unwrap_or_default());
    let expires = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since_epoch);
    let offset = offset_bytes.map(|bytes| (HeaderName::from_static("upload-offset"), bytes.to_string()));
    [(HeaderName::from_static("upload-expires"), expires)].into_iter().chain(offset).collect()
}
