//! Objects of a project's tree.

pub mod batch;
pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod update;
pub mod versions;

use api::objects::{ExternalFile, ObjectResponse};
use domain::id::ObjectId;
use domain::object::Object;
use domain::project::ProjectRef;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::objects;
use wire::{ETag, Endpoint, Reply, Resource, TaggedReply, delete, get, patch, post};

use crate::app::App;

/// The endpoints of objects.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/objects").with([
        get("", "listObjects", "List a branch's objects", list::handle).tool("project").everyday(),
        post("", "createObject", "Create an object", create::handle).tool("project").everyday(),
        post("/batch", "batchObjects", "Edit many objects at once", batch::handle).destroys().tool("project"),
        get("/{objectId}", "getObject", "Read an object", get::handle).tool("project").everyday(),
        patch("/{objectId}", "updateObject", "Change or move an object", update::handle)
            .conditional()
            .tool("project")
            .everyday(),
        get(
            "/{objectId}/versions",
            "listObjectVersions",
            "List the versions of an object's file",
            versions::handle,
        )
        .tool("project"),
        delete("/{objectId}", "deleteObject", "Delete an object with everything below it", delete::handle)
            .conditional()
            .tool("project")
            .everyday(),
    ])
}

/// The path of an operation on one object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The object.
    object_id: ObjectId,
}

/// An object with its `ETag`.
fn tagged(object: Object, external: Option<ExternalFile>) -> Result<TaggedReply<ObjectResponse>> {
    let etag = etag(&object)?;
    Ok(Reply::ok(ObjectResponse { object, external }).etag(etag))
}

fn etag(object: &Object) -> Result<ETag> {
    Ok(ETag::strong(&objects::etag(object)?))
}

/// The object that an edit has returned.
fn only(edited: objects::EditResult) -> Result<Object> {
    let object = edited.objects.into_iter().next().flatten();
    object.ok_or_else(|| Error::internal("an edit did not answer its object"))
}
