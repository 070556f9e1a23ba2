//! The place of a new file in a tree, as the paths of uploads in one piece and in several name it.

use api::content::uploads::UploadPlace;
use auth::actor::ProjectWrite;
use domain::work::session::ConnectionId;
use domain::{Error, Result};
use store::content::attachments;
use store::{Project, Tx};

use crate::bulk::BulkPlace;
use crate::routes::connection_id;

/// The connection through which the upload is applied.
///
/// # Errors
/// `INVALID_CONNECTION_ID`.
pub fn connection(place: &UploadPlace) -> Result<ConnectionId> {
    connection_id(&place.connection_id)
}

/// The target of several files. `skips_existing` leaves out those that are there.
///
/// # Errors
/// `INVALID_CONNECTION_ID`.
pub fn of_files(place: &UploadPlace, operation: &'static str, skips_existing: bool) -> Result<BulkPlace> {
    connection(place)?;
    Ok(BulkPlace {
        owner: place.owner_id,
        project: place.project_id.clone(),
        parent: place.parent_id,
        skips_existing,
        operation,
    })
}

/// Checks that the project has this owner, and that the parent is in its tree.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn require(place: &UploadPlace, tx: &mut Tx, project: &Project<ProjectWrite>) -> Result<()> {
    if project.record.owner_id != place.owner_id {
        return Err(Error::not_found());
    }
    attachments::require_parent(tx, project, place.parent_id).await
}
