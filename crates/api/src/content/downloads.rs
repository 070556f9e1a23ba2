//! Grants for downloads.

use domain::content::project::BranchName;
use domain::id::OwnerId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::work::sessions::DataPlane;
use crate::{operations, tags};

operations! {
    tag: tags::FILES;

    /// Issues a grant that downloads the project's files, of every branch, for 15 minutes. It needs no session.
    /// `downloadUrl` is a URI template for the files of the branch.
    CreateDownloadGrant = Post "/api/v2/projects/{projectId}/download-grants" {
        summary: "Issue a grant to download a project's files",
        path: ProjectPath,
        answer: CreateDownloadGrantResponse,
        effect: Idempotent,
        tool: NotATool("a credential is not for an agent's conversation"),
        also: secret(),
    }
}

/// The access to a project's files.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateDownloadGrantResponse {
    /// The project's owner.
    pub owner_id: OwnerId,
    /// The branch of `downloadUrl`. The grant reads the files of every branch.
    pub branch: BranchName,
    /// Downloads a file of the branch: a URI template (RFC 6570) with `{fileName}`, an object's id followed by its
    /// `extension`.
    pub download_url: String,
    /// Reads what there is to see of an object of the branch: a URI template with `{objectId}`.
    pub preview_url: String,
    /// Reads a picture of an object: a URI template with `{objectId}`.
    pub thumbnail_url: String,
    /// Reads the shape of an object in another format: a URI template with `{objectId}` and `{format}`, which is `glb` or
    /// `stl`.
    pub derived_url: String,
    /// The access to the data plane.
    pub data_plane: DataPlane,
}
