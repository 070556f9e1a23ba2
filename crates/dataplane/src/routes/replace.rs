//! Replace the file of an object by a new version. The object keeps its id.

use api::content::uploads::{ReplaceFile, ReplacementPath};
use auth::actor::ProjectWrite;
use domain::Result;
use domain::content::upload::{ObjectMap, Replacement};
use wire::{IdempotentReply, Request, Upload};

use crate::app::App;
use crate::routes::connection_id;
use crate::routes::upload::{UploadTarget, upload};

/// Receives and stores a file, and replaces that of an object.
///
/// # Errors
/// `INVALID_CONNECTION_ID` and those of [`upload`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ReplaceFile, Upload>,
) -> Result<IdempotentReply<ObjectMap>> {
    let Request { call, path, head, body, .. } = request;
    connection_id(&path.connection_id)?;
    let replaces = Some(Replacement { expected: head.if_match()? });
    let ReplacementPath { owner_id: owner, project_id: project, object_id: parent, .. } = path;
    upload(app, call, UploadTarget { owner, project, parent, replaces }, body).await
}
