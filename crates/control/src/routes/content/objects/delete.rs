//! Delete an object with everything below it.

use api::content::objects::{DeleteObject, DeleteObjectResponse, ObjectPath};
use auth::actor::ProjectWrite;
use domain::Result;
use domain::content::edit::{Edit, EditAction};
use store::content::objects;
use wire::{Reply, Request};

use crate::app::App;

/// Deletes an object with everything below it, uncommitted. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, DeleteObject>,
) -> Result<Reply<DeleteObjectResponse>> {
    let call = &request.call;
    let ObjectPath { project_id, object_id } = request.path;
    let action = EditAction::Delete(request.head.if_match()?);
    let edit = Edit { operation: None, object: object_id, action };
    let edited = app
        .store
        .mutate(call, &project_id, async |tx, project| {
            objects::edit(tx, project, call, std::slice::from_ref(&edit)).await
        })
        .await?;
    Ok(Reply::ok(DeleteObjectResponse {
        deleted: true,
        object_id,
        deleted_count: edited.counts.iter().sum(),
    }))
}
