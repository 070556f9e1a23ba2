//! Stored files.

use domain::object::Sha256Hash;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
