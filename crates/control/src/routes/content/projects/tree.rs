//! Read the objects of a project's branch as a flat list.

use std::sync::Arc;

use api::content::projects::{GetTree, GetTreeQuery};
use auth::actor::ProjectRead;
use domain::Result;
use domain::content::object::Tree;
use domain::search::fold;
use store::content::tree::{self, TreeFilter};
use store::{Project, Tx};
use wire::{ETag, KeptJson, Reply, Request, TaggedReply, aside};

use crate::app::App;
use crate::routes::page;

/// Reads the objects with their uncommitted state, all or filtered. `objectCount` counts the whole tree.
pub async fn handle(app: App, request: Request<ProjectRead, GetTree>) -> Result<TaggedReply<Arc<Tree>>> {
    let GetTreeQuery { root, depth, object_type, q } = request.query;
    let folded_q = page::search_text(q)?.map(|q| fold(&q));
    let filter = TreeFilter { root, depth, object_type, folded_q };
    let (call, at) = (&request.call, &request.path.project_id);
    let project = app.store.find(call, at).await?;
    let version = tree::etag(&project);
    if request.head.has_current(&ETag::weak(&version)) {
        return Ok(TaggedReply::unchanged(ETag::weak(&version)));
    }
    let is_whole = filter == TreeFilter::default();
    if is_whole && let Some(json) = app.kept.trees.get(&version) {
        return Ok(TaggedReply::kept(json, ETag::weak(&version)));
    }
    let (version, tree) = match tree::find_cached(&app.store, &project, &filter).await? {
        Some(tree) => (version, tree),
        // The branch may have changed since.
        None => {
            let read = async |tx: &mut Tx, project: &Project<ProjectRead>| {
                Ok((tree::etag(project), tree::get(tx, project, &filter).await?))
            };
            app.store.read(call, at, read).await?
        }
    };
    let tag = ETag::weak(&version);
    if !is_whole {
        return Ok(Reply::ok(tree).etag(tag));
    }
    let json = aside::run(move || KeptJson::of(&tree)).await??;
    app.kept.trees.insert(version, json.clone());
    Ok(TaggedReply::kept(json, tag))
}
