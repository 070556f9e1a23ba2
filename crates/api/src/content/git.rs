//! Projects as Git repositories, for Git and Git LFS.

use std::borrow::Cow;

use domain::content::object::Sha256Hash;
use domain::content::project::ProjectRef;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::operation::{Header, Json, Raw};
use crate::{operations, tags};

/// The header with the version of Git's protocol.
pub const GIT_PROTOCOL: Header =
    ("Git-Protocol", "The version of Git's protocol: `version=2`, or an older one.");
/// The beginning of all addresses of repositories.
pub const ADDRESS: &str = "/git/";
/// Optional suffix of a repository's URL.
pub const SUFFIX: &str = ".git";
/// Maximum number of files in a request of Git LFS, which asks for a hundred at a time.
pub const LFS_OBJECTS_MAX: usize = 1_000;

operations! {
    tag: tags::GIT;

    /// Begins Git's conversation: the references that a clone or a fetch may ask for. Pushes are refused in words that
    /// Git shows.
    GetGitReferences = Get "/git/{projectId}/info/refs" {
        summary: "Begin a clone, a fetch or a push",
        path: RepositoryById,
        query: GitReferencesQuery,
        answer: Raw,
        effect: Reads,
        tool: NotATool("only for Git clients"),
        also: reads(&[GIT_PROTOCOL]),
    }

    /// Answers the objects that a clone or a fetch asks for, as a pack. Histories can be cut, and files left out.
    FetchGit = Post "/git/{projectId}/git-upload-pack" {
        summary: "Clone or fetch",
        path: RepositoryById,
        body: Raw,
        answer: Raw,
        effect: Reads,
        tool: NotATool("only for Git clients"),
        also: reads(&[GIT_PROTOCOL]),
    }

    /// Answers where Git LFS finds uploaded files, with grants for them. Uploads are refused with
    /// `REPOSITORY_READ_ONLY`.
    BatchLfs = Post "/git/{projectId}/info/lfs/objects/batch" {
        summary: "Find the files of a clone",
        path: RepositoryById,
        body: Json<LfsBatchRequest>,
        answer: Raw,
        effect: Reads,
        tool: NotATool("only for Git clients"),
        also: secret(),
    }

    /// Begins Git's conversation as `getGitReferences` does, by the slugs of owner and project.
    GetGitReferencesByName = Get "/git/{ownerSlug}/{projectSlug}/info/refs" {
        summary: "Begin a clone, a fetch or a push, by the project's name",
        path: RepositoryByName,
        query: GitReferencesQuery,
        answer: Raw,
        effect: Reads,
        tool: NotATool("only for Git clients"),
        also: reads(&[GIT_PROTOCOL]),
    }

    /// Answers a pack as `fetchGit` does, by the slugs of owner and project.
    FetchGitByName = Post "/git/{ownerSlug}/{projectSlug}/git-upload-pack" {
        summary: "Clone or fetch by the project's name",
        path: RepositoryByName,
        body: Raw,
        answer: Raw,
        effect: Reads,
        tool: NotATool("only for Git clients"),
        also: reads(&[GIT_PROTOCOL]),
    }

    /// Answers where Git LFS finds uploaded files as `batchLfs` does, by the slugs of owner and project. Uploads are
    /// refused with `REPOSITORY_READ_ONLY`.
    BatchLfsByName = Post "/git/{ownerSlug}/{projectSlug}/info/lfs/objects/batch" {
        summary: "Find the files of a clone by the project's name",
        path: RepositoryByName,
        body: Json<LfsBatchRequest>,
        answer: Raw,
        effect: Reads,
        tool: NotATool("only for Git clients"),
        also: secret(),
    }
}

/// A repository by its project's id.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepositoryById {
    /// The project, or `{projectId}--{branchName}` to clone at that branch; optionally followed by `.git`.
    #[serde(deserialize_with = "repository")]
    #[schemars(with = "String")]
    pub project_id: ProjectRef,
}

/// A repository by its project's name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepositoryByName {
    /// The `ownerSlug` of the project.
    pub owner_slug: String,
    /// The `projectSlug`, or `{projectSlug}--{branchName}` to clone at that branch; optionally followed by `.git`.
    pub project_slug: String,
}

/// The purpose of a client's first request.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GitReferencesQuery {
    /// The service that the client will use.
    pub service: GitService,
}

/// A Git service.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GitService {
    /// Clone and fetch.
    GitUploadPack,
    /// Push.
    GitReceivePack,
}

/// The requested files, in the form of Git LFS. Unknown fields are ignored, as its protocol demands.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LfsBatchRequest {
    /// The intended operation.
    pub operation: LfsOperation,
    /// The files.
    #[schemars(length(max = LFS_OBJECTS_MAX))]
    pub objects: Vec<LfsPointer>,
    /// The hash that names the files. Defaults to SHA-256.
    pub hash_algo: Option<String>,
}

/// An operation of Git LFS.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LfsOperation {
    /// Fetch files.
    Download,
    /// Push files.
    Upload,
}

/// A pointer to a file, as a commit contains it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LfsPointer {
    /// The file's SHA-256.
    pub oid: Sha256Hash,
    /// The file's size in bytes.
    pub size: u64,
}

/// Reads the id of a project with or without the suffix.
fn repository<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ProjectRef, D::Error> {
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    let name = text.strip_suffix(SUFFIX).unwrap_or(&text);
    name.parse().map_err(D::Error::custom)
}
