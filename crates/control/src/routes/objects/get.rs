//! Read an object.

use api::objects::ObjectResponse;
use auth::actor::ProjectRead;
use domain::Result;
use store::content::objects;
use wire::{Request, TaggedReply};

use crate::app::App;
use crate::routes::objects::{ObjectPath, tagged};

/// Reads an object with its uncommitted state.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ObjectPath>,
) -> Result<TaggedReply<ObjectResponse>> {
    let ObjectPath { project_id, object_id } = request.path;
    let object = app
        .store
        .read(&request.call, &project_id, async |tx, project| objects::get(tx, project, object_id).await)
        .await?;
    tagged(object)
}
