//! Read the objects of a project's branch as a flat list.

use std::sync::Arc;

use api::content::projects::{GetTree, GetTreeQuery};
use auth::actor::ProjectRead;
use domain::Result;
use domain::content::object::Tree;
use domain::search::fold;
use store::content::tree::{self, TreeFilter};
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::page;

/// Reads the objects with their uncommitted state, all or filtered. `objectCount` counts the whole tree.
pub async fn handle(app: App, request: Request<ProjectRead, GetTree>) -> Result<TaggedReply<Arc<Tree>>> {
    let GetTreeQuery { root, depth, object_type, q } = request.query;
    let folded_q = page::search_text(q)?.map(|q| fold(&q));
    let filter = TreeFilter { root, depth, object_type, folded_q };
    let head = &request.head;
    app.store
        .read(&request.call, &request.path.project_id, async |tx, project| {
            let etag = ETag::weak(&tree::etag(project));
            if head.has_current(&etag) {
                return Ok(TaggedReply::unchanged(etag));
            }
            Ok(Reply::ok(tree::part(tx, project, &filter).await?).etag(etag))
        })
        .await
}
