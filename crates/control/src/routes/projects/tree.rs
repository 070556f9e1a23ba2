//! Read every object of a project's branch as a flat list.

use std::sync::Arc;

use auth::actor::ProjectRead;
use domain::Result;
use domain::object::Tree;
use store::content::tree;
use wire::{ETag, Reply, Request, Tagged};

use crate::app::App;
use crate::routes::projects::ProjectPath;

/// Reads every object with its uncommitted state.
pub async fn handle(app: App, request: Request<ProjectRead, ProjectPath>) -> Result<Tagged<Arc<Tree>>> {
    let (tree, etag) = app
        .store
        .read(&request.call, &request.path.project_id, async |tx, project| {
            Ok((tree::get(tx, project).await?, ETag::weak(&tree::etag(project))))
        })
        .await?;
    Ok(Reply::ok(tree).etag(etag))
}
