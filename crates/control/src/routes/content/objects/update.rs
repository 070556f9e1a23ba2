//! Change or move an object. A merge patch: absent fields stay, and `null` clears.

use api::content::objects::{ObjectPath, ObjectResponse, UpdateObject};
use auth::actor::ProjectWrite;
use domain::Result;
use domain::content::edit::{Edit, EditAction};
use store::content::objects;
use wire::{Request, TaggedReply};

use crate::app::App;
use crate::routes::content::objects::{only, tagged};

/// Changes or moves an object. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, UpdateObject>,
) -> Result<TaggedReply<ObjectResponse>> {
    let call = &request.call;
    let ObjectPath { project_id, object_id } = request.path;
    let action = EditAction::Change(request.body.0.validate()?, request.head.if_match()?);
    let edit = Edit { operation: None, object: object_id, action };
    let edited = app
        .store
        .mutate(call, &project_id, async |tx, project| {
            objects::edit(tx, project, call, std::slice::from_ref(&edit)).await
        })
        .await?;
    tagged(only(edited)?, None)
}
