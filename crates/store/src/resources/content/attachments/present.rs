//! Uploads that were applied before, and whether their objects are still there.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::content::upload::ObjectMap;
use domain::id::UploadId;

use super::{AttachTarget, find_applied};
use crate::access::Target;
use crate::access::call::Call;
use crate::resources::branch_objects;
use crate::resources::store::Tx;

/// An upload that was applied.
#[derive(Clone, Debug)]
pub enum PresentUpload {
    /// Its first object is where it was attached, with the same file.
    There(ObjectMap),
    /// It was deleted or moved, or has another file.
    Removed,
}

/// An upload that was applied; `None` if it was not, and its target is valid. Attachment checks again.
///
/// # Errors
/// As [`find_applied`].
pub(crate) async fn find_present(
    tx: &mut Tx,
    target: &AttachTarget<'_>,
    call: &Call<ProjectWrite>,
    upload: UploadId,
) -> Result<Option<PresentUpload>> {
    let Some(map) = find_applied(tx, target, call, Some(upload)).await? else { return Ok(None) };
    let Some(first) = map.object.values().next() else { return Ok(Some(PresentUpload::Removed)) };
    let project = target.project.resolve(tx, call).await?;
    let found = branch_objects::find(tx, project.record.id, &project.branch, first.id).await?;
    let is_there = found.is_some_and(|object| {
        object.parent == target.parent && object.file.map(|file| file.sha256) == first.sha256
    });
    Ok(Some(if is_there { PresentUpload::There(map) } else { PresentUpload::Removed }))
}
