//! Replace the file of an object by a new version. The object keeps its id.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::id::{ObjectId, OwnerId};
use domain::project::ProjectRef;
use domain::upload::{ObjectMap, Replacement};
use schemars::JsonSchema;
use serde::Deserialize;
use wire::{IdempotentReply, NoQuery, Request, Upload};

use crate::app::App;
use crate::routes::connection_id;
use crate::routes::upload::{UploadTarget, upload};

/// The path's parameters.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplacementPath {
    /// The project's owner.
    owner_id: OwnerId,
    /// The acting user. Ignored: the grant names the user.
    #[serde(rename = "userId")]
    #[schemars(length(min = 1))]
    _user_id: String,
    /// The project that the session opened, with its branch.
    project_id: ProjectRef,
    /// The connection through which the change is applied.
    #[schemars(regex(pattern = "^headless-"))]
    connection_id: String,
    /// The object that owns the file.
    object_id: ObjectId,
}

/// Receives and stores a file, and replaces that of an object.
///
/// # Errors
/// `INVALID_CONNECTION_ID` and those of [`upload`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ReplacementPath, NoQuery, Upload>,
) -> Result<IdempotentReply<ObjectMap>> {
    let Request { call, path, head, body, .. } = request;
    connection_id(&path.connection_id)?;
    let replaces = Some(Replacement { expected: head.if_match()? });
    let ReplacementPath { owner_id: owner, project_id: project, object_id: parent, .. } = path;
    upload(app, call, UploadTarget { owner, project, parent, replaces }, body).await
}
