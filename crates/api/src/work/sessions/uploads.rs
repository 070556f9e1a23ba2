//! A session's uploads in pieces.

use domain::content::project::ProjectRef;
use domain::content::upload::{ResumableUpload, UploadState};
use domain::id::{SessionId, UploadId};
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::page::PageQuery;
use crate::work::sessions::SessionPath;
use crate::{operations, tags};

operations! {
    tag: tags::SESSIONS;

    /// Lists the session's uploads in pieces with their progress.
    ListUploads = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/uploads" {
        summary: "List a session's uploads in pieces",
        path: SessionPath,
        query: PageQuery,
        answer: ListUploadsResponse,
        effect: Reads,
        tool: Toolbox("files"),
    }

    /// Answers the state of one upload, and its objects once it is complete.
    GetUpload = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/uploads/{uploadId}" {
        summary: "Read the state of an upload",
        path: SessionUploadPath,
        answer: GetUploadResponse,
        effect: Reads,
        tool: Toolbox("files"),
    }
}

/// An upload.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GetUploadResponse {
    /// The upload.
    pub upload: UploadState,
}

/// A page of uploads, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListUploadsResponse {
    /// The uploads.
    pub uploads: Vec<ResumableUpload>,
    /// The page.
    pub meta: PageMeta,
}

/// The path.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionUploadPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The session.
    pub session_id: SessionId,
    /// The upload, as the session's events name it.
    pub upload_id: UploadId,
}
