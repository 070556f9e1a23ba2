//! Uploads in pieces, by the protocol of tus 1.0: core, creation, creation with upload, checksum, expiration,
//! termination.
//!
//! `tus.io/protocols/resumable-upload` says what each header means; here is what they are in this service.

pub mod append;
pub mod create;
pub mod delete;
pub mod describe;
pub mod get;
pub mod method_override;

use std::time::{Duration, SystemTime};

use actix_web::HttpResponse;
use actix_web::http::header::{HeaderName, HeaderValue};
use domain::id::UploadId;
use domain::project::ProjectRef;
use domain::time::Timestamp;
use domain::upload::{ObjectMap, ResumableUpload};
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::ResumableUploadRef;
use store::resumable::UploadRecord;
use wire::{Answer, Head, Schemas};

use crate::app;

/// An upload that was begun.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadPath {
    /// The project that the session opened.
    project_id: ProjectRef,
    /// The upload.
    upload_id: UploadId,
}

impl UploadPath {
    /// The upload, as far as the bearer of the grant may name it.
    ///
    /// # Errors
    /// `NOT_FOUND` where the grant is for another project.
    fn target(&self, grant: &auth::actor::ActorGrant) -> Result<ResumableUploadRef> {
        let project = app::opened_project(grant, &self.project_id)?;
        Ok(ResumableUploadRef { project, upload: self.upload_id })
    }
}

/// How an upload stands, and once it is done the uploaded object map.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ResumableUploadAnswer")]
pub struct UploadAnswer {
    /// The upload.
    upload: ResumableUpload,
    /// What it created, once it is done: the uploaded object map.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    map: Option<ObjectMap>,
}

impl From<&UploadRecord> for UploadAnswer {
    fn from(record: &UploadRecord) -> Self {
        Self { upload: record.view(), map: record.map.clone() }
    }
}

/// 204 with headers alone.
#[derive(Debug, Default)]
pub struct NoContent(Vec<(HeaderName, String)>);

impl Answer for NoContent {
    fn into_response(self, _: &Head) -> Result<HttpResponse> {
        with_headers(HttpResponse::NoContent().finish(), self.0)
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        vec![(204, json!({ "description": "Done; the headers say how things stand" }))]
    }
}

fn with_headers(mut response: HttpResponse, headers: Vec<(HeaderName, String)>) -> Result<HttpResponse> {
    for (name, value) in headers {
        let value = HeaderValue::from_str(&value).map_err(Error::internal)?;
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

/// Where an upload is, and until when it can go on.
fn standing(offset_bytes: u64, expires_at: Timestamp) -> Vec<(HeaderName, String)> {
    let since_epoch = Duration::from_secs(u64::try_from(expires_at.unix_seconds()).unwrap_or_default());
    vec![
        (HeaderName::from_static("upload-offset"), offset_bytes.to_string()),
        (
            HeaderName::from_static("upload-expires"),
            httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + since_epoch),
        ),
    ]
}
