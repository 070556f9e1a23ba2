//! Grants for downloads.

use domain::id::OwnerId;
use domain::project::BranchName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sessions::DataPlane;

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
    /// The access to the data plane.
    pub data_plane: DataPlane,
}
