//! Change or move an object. A merge patch: absent fields stay, and `null` clears.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::edit::{Edit, EditAction, ObjectChanges, ObjectType};
use domain::id::ObjectId;
use domain::patch::{self, Patch};
use domain::text::Name;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use store::content::objects;
use wire::{Json, NoQuery, Request, TaggedReply};

use crate::app::App;
use crate::routes::objects::{ObjectAnswer, ObjectPath, only, tagged};

/// The changes; at least one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
#[schemars(rename = "UpdateObjectRequest")]
pub struct Body {
    /// Name.
    #[serde(default)]
    #[schemars(extend("x-notCleared" = true))]
    name: Patch<Name>,
    /// Type.
    #[serde(rename = "type", default)]
    #[schemars(extend("x-notCleared" = true))]
    object_type: Patch<ObjectType>,
    /// The new parent object; everything below moves along. The project's own id is the root.
    #[serde(default)]
    #[schemars(extend("x-notCleared" = true))]
    parent: Patch<ObjectId>,
    /// Merge patch of the properties (RFC 7396): `null` removes a property, or all of them as the whole value.
    #[serde(default)]
    data: Patch<Map<String, Value>>,
}

/// Changes or moves an object. With `If-Match` only if its `ETag` matches.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, ObjectPath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<ObjectAnswer>> {
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
    tagged(only(edited)?)
}

impl Body {
    fn validate(self) -> Result<ObjectChanges> {
        patch::not_empty(ObjectChanges {
            name: self.name.not_cleared("name")?,
            object_type: self.object_type.not_cleared("type")?,
            parent: self.parent.not_cleared("parent")?,
            data: self.data,
        })
    }
}
