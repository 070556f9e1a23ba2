//! Create an object.

use api::content::objects::{CreateObject, CreateObjectRequest, ObjectResponse};
use auth::actor::ProjectWrite;
use domain::Result;
use domain::content::edit::{Edit, EditAction, NewObject};
use domain::id::ObjectId;
use store::content::objects;
use wire::{Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::content::objects::{etag, only};

/// Creates an uncommitted object on the branch that the project id names.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, CreateObject>,
) -> Result<TaggedCreated<ObjectResponse>> {
    let (call, at) = (&request.call, &request.path.project_id);
    let CreateObjectRequest { name, object_type, parent, data } = request.body.0;
    let new = NewObject { name, object_type, parent: parent.unwrap_or(at.project.into()), data };
    let edit = Edit { operation: None, object: ObjectId::new(call.now), action: EditAction::Create(new) };
    let created = app
        .store
        .create_on_branch(call, at, async |tx, project| {
            let edited = objects::edit(tx, project, call, std::slice::from_ref(&edit)).await?;
            Ok(ObjectResponse { object: only(edited)?, external: None })
        })
        .await?;
    let etag = etag(&created.value.object)?;
    Ok(Reply::created(created).etag(etag))
}
