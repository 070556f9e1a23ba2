//! Read an include with the content of its package at the pin.

use auth::actor::ProjectRead;
use domain::Result;
use domain::object::Tree;
use domain::package::IncludeRecord;
use schemars::JsonSchema;
use serde::Serialize;
use store::content::includes;
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::includes::{IncludeAnswer, IncludePath};

/// The include with its package's content.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GetIncludeResponse")]
pub struct Answer {
    /// The include.
    include: IncludeRecord,
    /// The package's objects at the pin, itself first. Absent if the package is not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Tree>,
}

/// Reads an include. The caller sees of its package only what the package's own project allows.
pub async fn handle(app: App, request: Request<ProjectRead, IncludePath>) -> Result<TaggedReply<Answer>> {
    let (call, path) = (&request.call, &request.path);
    let (include, tree) = app
        .store
        .read(call, &path.project_id, async |tx, project| {
            includes::get(tx, project, call, path.include_id).await
        })
        .await?;
    let etag = ETag::of_json(&IncludeAnswer { include: include.clone() })?;
    Ok(Reply::ok(Answer { include, tree }).etag(etag))
}
