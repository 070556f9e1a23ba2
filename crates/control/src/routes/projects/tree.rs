//! Read the objects of a project's branch as a flat list.

use std::sync::Arc;

use auth::actor::ProjectRead;
use domain::Result;
use domain::id::ObjectId;
use domain::object::Tree;
use domain::search::fold;
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::tree::{self, TreeFilter};
use wire::{ETag, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::page;
use crate::routes::projects::ProjectPath;

/// The filter of objects.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only this object and everything below it.
    root: Option<ObjectId>,
    /// Maximum number of levels below the root, or below the project.
    depth: Option<usize>,
    /// Only objects of this type.
    #[serde(rename = "type")]
    object_type: Option<String>,
    /// Only entries whose name contains this text, regardless of case.
    #[schemars(length(max = 200))]
    q: Option<String>,
}

/// Reads the objects with their uncommitted state, all or filtered. `objectCount` counts the whole tree.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ProjectPath, Query>,
) -> Result<TaggedReply<Arc<Tree>>> {
    let Query { root, depth, object_type, q } = request.query;
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
