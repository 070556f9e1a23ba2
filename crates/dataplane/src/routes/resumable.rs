//! Uploads in pieces, by the protocol of tus 1.0: core, creation (with upload, with deferred length), checksum,
//! concatenation, expiration, termination.
//!
//! `tus.io/protocols/resumable-upload` defines the headers; this module maps them to this service. Beside them it takes
//! those of the IETF's draft (draft-ietf-httpbis-resumable-upload-05), in which the last piece says that it is.

pub mod append;
pub(super) mod begin;
pub mod create;
pub mod delete;
pub mod describe;
pub mod get;
pub mod method_override;

use std::time::{Duration, SystemTime};

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use api::content::uploads::resumable::{
    DescribeResumableUpload, DescribeResumableUploads, GetResumableUpload, ResumableUploadResponse,
    UploadPath,
};
use api::operation::{Operation, Raw};
use api::planning::cards::attachment_uploads::{AttachmentUploadPath, GetAttachmentUpload};
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::{Value, json};
use store::ResumableUploadRef;
use store::content::resumable::UploadRecord;
use wire::{Endpoint, HandlerAnswer, RequestHead, Schemas, endpoint, options};

use crate::app::{self, App};
use crate::resumable::headers;
use crate::resumable::protocol::TUS;

/// The endpoints of resumable uploads. All speak tus.
pub fn endpoints() -> Vec<Endpoint<App>> {
    let endpoints = [
        options::<DescribeResumableUploads, _, _>(describe::handle),
        endpoint(create::handle),
        options::<DescribeResumableUpload, _, _>(describe::handle),
        endpoint(get::handle),
        endpoint(append::handle),
        endpoint(delete::handle),
        endpoint(method_override::handle),
    ];
    endpoints.into_iter().map(|endpoint| endpoint.speaks(&TUS)).collect()
}

/// The upload to a tree that a path names, for the bearer of `grant`.
///
/// # Errors
/// `NOT_FOUND` if the grant is for another project.
fn target(path: &UploadPath, grant: &auth::actor::ActorGrant) -> Result<ResumableUploadRef> {
    let project = app::opened_project(grant, &path.project_id)?;
    Ok(ResumableUploadRef { project, upload: path.upload_id, card: None })
}

/// The answer about an upload to a tree.
///
/// # Errors
/// `INTERNAL_ERROR` for an upload to a card.
fn answer(record: &UploadRecord) -> Result<ResumableUploadResponse> {
    Ok(ResumableUploadResponse { upload: record.of_tree()?, map: record.map.clone() })
}

/// An answer with the headers of the protocol.
pub struct WithHeaders<A> {
    pub(super) answer: A,
    pub(super) headers: Vec<(HeaderName, String)>,
}

impl<A: HandlerAnswer> HandlerAnswer for WithHeaders<A> {
    type Declared = A::Declared;

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
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        Ok(HttpResponse::NoContent().finish())
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        vec![(204, json!({ "description": "Done; the headers say how things stand" }))]
    }
}

/// The path of an upload's address.
fn address(at: &ResumableUploadRef) -> String {
    let (project_id, upload_id) = (at.project.project.into(), at.upload);
    match at.card {
        None => GetResumableUpload::DECLARATION.path_with(&UploadPath { project_id, upload_id }),
        Some(card_id) => GetAttachmentUpload::DECLARATION.path_with(&AttachmentUploadPath {
            project_id,
            card_id,
            upload_id,
        }),
    }
}

/// The draft's header that tells whether the file is complete, for a request by the draft.
fn complete_header(head: &RequestHead, is_complete: bool) -> Option<(HeaderName, String)> {
    let value = if is_complete { "?1" } else { "?0" };
    headers::is_draft(head).then(|| (HeaderName::from_static("upload-complete"), value.to_owned()))
}

/// The headers for offset and expiry. An upload that joins others has no offset before its end.
fn headers_of(record: &UploadRecord) -> Vec<(HeaderName, String)> {
    let has_offset = record.parts.is_none() || record.is_attached();
    progress_headers(has_offset.then_some(record.offset_bytes), record.expires_at)
}

/// The headers for offset and expiry.
fn progress_headers(offset_bytes: Option<u64>, expires_at: Timestamp) -> Vec<(HeaderName, String)> {
    let since_epoch = Duration::from_secs(u64::try_from(expires_at.unix_seconds()).unwrap_or_default());
    let expires = httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since_epoch);
    let offset = offset_bytes.map(|bytes| (HeaderName::from_static("upload-offset"), bytes.to_string()));
    [(HeaderName::from_static("upload-expires"), expires)].into_iter().chain(offset).collect()
}
