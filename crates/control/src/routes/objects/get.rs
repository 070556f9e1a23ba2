//! Read an object.

use api::objects::{GetObjectQuery, ObjectResponse};
use auth::actor::ProjectRead;
use domain::Result;
use store::content::objects;
use wire::{Request, TaggedReply};

use crate::app::App;
use crate::routes::objects::{ObjectPath, tagged};

/// Reads an object with its uncommitted state, or its committed one.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ObjectPath, GetObjectQuery>,
) -> Result<TaggedReply<ObjectResponse>> {
    let ObjectPath { project_id, object_id } = request.path;
    let is_committed = request.query.committed == Some(true);
    let object = app
        .store
        .read(&request.call, &project_id, async |tx, project| {
            if is_committed {
                objects::get_committed(tx, project, object_id).await
            } else {
                objects::get(tx, project, object_id).await
            }
        })
        .await?;
    tagged(object)
}
