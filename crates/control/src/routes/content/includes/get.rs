//! Read an include with the content of its package at the pin.

use api::content::includes::{GetInclude, GetIncludeResponse, IncludeResponse};
use auth::actor::ProjectRead;
use domain::Result;
use store::content::includes;
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;

/// Reads an include. The caller sees of its package only what the package's own project allows.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, GetInclude>,
) -> Result<TaggedReply<GetIncludeResponse>> {
    let (call, path) = (&request.call, &request.path);
    let (include, tree) = app
        .store
        .read(call, &path.project_id, async |tx, project| {
            includes::get(tx, project, call, path.include_id).await
        })
        .await?;
    let etag = ETag::of_json(&IncludeResponse { include: include.clone() })?;
    Ok(Reply::ok(GetIncludeResponse { include, tree }).etag(etag))
}
