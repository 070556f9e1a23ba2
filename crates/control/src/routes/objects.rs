//! Objects of a project's tree.

pub mod batch;
pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod update;

use domain::id::ObjectId;
use domain::object::Object;
use domain::project::ProjectRef;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::objects;
use wire::{ETag, Reply, Tagged};

/// The path of an operation on one object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObjectPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The object.
    object_id: ObjectId,
}

/// One object.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ObjectResponse")]
pub struct ObjectAnswer {
    /// The object.
    object: Object,
}

/// An object with its tag.
fn tagged(object: Object) -> Result<Tagged<ObjectAnswer>> {
    let etag = ETag::strong(&objects::etag(&object)?);
    Ok(Reply::ok(ObjectAnswer { object }).etag(etag))
}

/// The one object that an edit was about, which is there.
fn only(edited: objects::Edited) -> Result<Object> {
    let object = edited.objects.into_iter().next().flatten();
    object.ok_or_else(|| Error::internal("an edit did not answer its object"))
}
