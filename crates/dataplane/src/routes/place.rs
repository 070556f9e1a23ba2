//! The place of a new file in a tree: the path parameters of uploads in one piece and in several.

use auth::actor::ProjectWrite;
use domain::id::{ObjectId, OwnerId};
use domain::project::ProjectRef;
use domain::session::ConnectionId;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::attachments;
use store::{Project, Tx};

use crate::bulk::BulkPlace;
use crate::routes::connection_id;

/// The path's parameters.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadPlace {
    /// The project's owner.
    pub owner_id: OwnerId,
    /// The acting user. Ignored: the grant names the user.
    #[serde(rename = "userId")]
    #[schemars(length(min = 1))]
    _user_id: String,
    /// The project that the session opened, with its branch.
    pub project_id: ProjectRef,
    /// The connection through which the upload is applied.
    #[schemars(regex(pattern = "^headless-"))]
    connection_id: String,
    /// The parent object of the file.
    pub parent_id: ObjectId,
}

impl UploadPlace {
    /// The connection that the path names. It need not be live: the grant names the session.
    ///
    /// # Errors
    /// `INVALID_CONNECTION_ID`.
    pub fn connection(&self) -> Result<ConnectionId> {
        connection_id(&self.connection_id)
    }

    /// The target of several files. `skips_existing` leaves out those that are there.
    ///
    /// # Errors
    /// `INVALID_CONNECTION_ID`.
    pub fn of_files(&self, operation: &'static str, skips_existing: bool) -> Result<BulkPlace> {
        self.connection()?;
        Ok(BulkPlace {
            owner: self.owner_id,
            project: self.project_id.clone(),
            parent: self.parent_id,
            skips_existing,
            operation,
        })
    }

    /// Checks that the project has this owner, and that the parent is in its tree.
    ///
    /// # Errors
    /// `NOT_FOUND`.
    pub async fn require(&self, tx: &mut Tx, project: &Project<ProjectWrite>) -> Result<()> {
        if project.record.owner_id != self.owner_id {
            return Err(Error::not_found());
        }
        attachments::require_parent(tx, project, self.parent_id).await
    }
}
