//! Uploads and downloads of the data plane.

use domain::error::Refusal;
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
#[serde(rename_all = "camelCase")]
pub struct UploadedFiles {
    /// The files in the order of the request.
    pub files: Vec<UploadedFile>,
    /// Number of an archive's entries that the sender's system has left there (`__MACOSX`, `.DS_Store`, `Thumbs.db`,
    /// `desktop.ini`). They are not added. Absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped_count: Option<u64>,
}

/// The result of one file: the object that owns it, or the error for which it was refused. Its size doesn't depend on the
/// file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadedFile {
    /// The file's path as it was sent, cut to 1,024 characters.
    pub path: String,
    /// The object that owns the file. The tree below it has the others. Absent from a refused file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<UploadedObject>,
    /// Number of objects that were made of the file, `root` included. Absent from a refused file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_count: Option<u64>,
    /// The reason of a refusal. Absent from an uploaded file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Refusal>,
}

/// The choice for a file that its folder has already.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadFilesQuery {
    /// True: a file is not added where a request with this parameter has added one of the same name and content before, as
    /// long as that is in the folder and unchanged. The answer has the object that is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_existing: Option<bool>,
}

/// The version of the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DownloadFileQuery {
    /// The file as this commit of the project has it. Without it, as the branch has it, with uncommitted changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitHash>,
}
