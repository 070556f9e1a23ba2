//! Uploads in pieces.

use domain::upload::{ObjectMap, ResumableUpload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of an upload, with the object map of a finished one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResumableUploadAnswer {
    /// The upload.
    pub upload: ResumableUpload,
    /// The object map of a finished upload.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub map: Option<ObjectMap>,
}
