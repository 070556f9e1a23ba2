//! Stored files.

use domain::content::object::Sha256Hash;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::{operations, tags};

operations! {
    tag: tags::FILES;

    /// Answers which of up to 10,000 files the project has already, by SHA-256: on any branch, in any commit. Ask
    /// before an upload of many files, and leave out what is there.
    LookUpFiles = Post "/api/v2/projects/{projectId}/files/lookup" {
        summary: "Find out which files a project has already",
        path: ProjectPath,
        body: Json<LookUpFilesRequest>,
        answer: LookUpFilesResponse,
        effect: Reads,
        tool: NotATool("an agent has no files to compare"),
    }
}

/// Most hashes of a request. They fit into the body of ordinary requests.
pub const HASHES_MAX: usize = 10_000;

/// The hashes of files.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LookUpFilesRequest {
    /// SHA-256 of each file.
    #[schemars(length(min = 1, max = HASHES_MAX))]
    pub hashes: Vec<Sha256Hash>,
}

/// The files that the project has.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LookUpFilesResponse {
    /// Those of the files that the project has, in the order of the request. The others are absent.
    pub files: Vec<KnownFile>,
}

/// A file that a project has.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct KnownFile {
    /// SHA-256 of its bytes.
    pub sha256: Sha256Hash,
    /// Its size in bytes.
    pub size: u64,
}
