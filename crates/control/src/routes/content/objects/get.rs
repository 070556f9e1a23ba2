//! Read an object.

use api::content::objects::{ExternalFile, GetObject, ObjectPath, ObjectResponse};
use auth::actor::ProjectRead;
use domain::Result;
use domain::content::design::external_file;
use store::content::objects;
use wire::{Request, TaggedReply};

use crate::app::App;
use crate::routes::content::objects::tagged;

/// Reads an object with its uncommitted state, or its committed one.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, GetObject>,
) -> Result<TaggedReply<ObjectResponse>> {
    let ObjectPath { project_id, object_id } = request.path;
    let is_committed = request.query.committed == Some(true);
    let (object, external) = app
        .store
        .read(&request.call, &project_id, async |tx, project| {
            let object = if is_committed {
                objects::get_committed(tx, project, object_id).await?
            } else {
                objects::get(tx, project, object_id).await?
            };
            let external = match external_file(&object.data) {
                Some(name) => {
                    let object_ids = objects::owners_of_file(tx, project, name).await?;
                    Some(ExternalFile { name: name.to_owned(), object_ids })
                }
                None => None,
            };
            Ok((object, external))
        })
        .await?;
    tagged(object, external)
}
