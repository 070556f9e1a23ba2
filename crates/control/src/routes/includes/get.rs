//! Read an include with what its package holds at the pin.

use auth::actor::ProjectRead;
use domain::Result;
use domain::object::Tree;
use domain::package::IncludeRecord;
use schemars::JsonSchema;
use serde::Serialize;
use store::content::includes;
use wire::{Reply, Request, Tagged};

use crate::app::App;
use crate::routes::includes::IncludePath;

/// The include, and what its package holds.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "GetIncludeResponse")]
pub struct Answer {
    /// The include.
    include: IncludeRecord,
    /// What the package holds at the pin, itself first; absent where the package is not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree: Option<Tree>,
}

/// Reads an include; of its package no more than the caller may read in the package's own project.
pub async fn handle(app: App, request: Request<ProjectRead, IncludePath>) -> Result<Tagged<Answer>> {
    let (call, path) = (&request.call, &request.path);
    let (include, tree) = app
        .store
        .read(call, &path.project_id, async |tx, project| {
            includes::get(tx, project, call, path.include_id).await
        })
        .await?;
    Ok(Reply::ok(Answer { include, tree }).etag_of_body())
}
