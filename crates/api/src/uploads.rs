//! Uploads and downloads of the data plane.

use std::collections::BTreeMap;

use domain::error::Refusal;
use domain::id::ObjectId;
use domain::object::CommitHash;
use domain::upload::{ObjectMap, ResumableUpload, UploadedObject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of an upload, with the object map of a finished one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumableUploadResponse {
    /// The upload.
    pub upload: ResumableUpload,
    /// The object map of a finished upload.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub map: Option<ObjectMap>,
}

/// The result of each file of a request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UploadedFiles {
    /// The files in the order of the request.
    pub files: Vec<UploadedFile>,
}

/// The result of one file: its objects, or the error for which it was refused.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UploadedFile {
    /// The file's path as it was sent.
    pub path: String,
    /// The created objects by id, as `uploadFile` answers them. Absent from a refused file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<BTreeMap<ObjectId, UploadedObject>>,
    /// The reason of a refusal. Absent from an uploaded file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
}

/// The version of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DownloadFileQuery {
    /// The file as this commit of the project has it. Without it, as the branch has it, with uncommitted changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitHash>,
}
