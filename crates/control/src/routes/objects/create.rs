//! Create an object.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::edit::{Edit, EditAction, NewObject, ObjectType};
use domain::id::ObjectId;
use domain::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use store::content::objects;
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::objects::{ObjectAnswer, etag, only};
use crate::routes::projects::ProjectPath;

/// An object to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CreateObjectRequest")]
pub struct Body {
    /// Name.
    name: Name,
    /// Type. Defaults to `Object`.
    #[serde(rename = "type", default)]
    object_type: ObjectType,
    /// The parent object. Defaults to the project's own id, the root.
    parent: Option<ObjectId>,
    /// Properties, in any form.
    #[serde(default)]
    data: Map<String, Value>,
}

/// Creates an uncommitted object on the branch that the project id names.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ProjectPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<ObjectAnswer>> {
    let (call, at) = (&request.call, &request.path.project_id);
    let Body { name, object_type, parent, data } = request.body.0;
    let new = NewObject { name, object_type, parent: parent.unwrap_or(at.project.into()), data };
    let edit = Edit { operation: None, object: ObjectId::new(call.now), action: EditAction::Create(new) };
    let created = app
        .store
        .create_on_branch(call, at, async |tx, project| {
            let edited = objects::edit(tx, project, call, std::slice::from_ref(&edit)).await?;
            Ok(ObjectAnswer { object: only(edited)? })
        })
        .await?;
    let etag = etag(&created.value.object)?;
    Ok(Reply::created(created).etag(etag))
}
