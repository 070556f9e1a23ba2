//! Compare two commits.

use api::content::compare::{CompareCommits, CompareQuery, CompareResponse};
use auth::actor::ProjectRead;
use domain::Result;
use domain::content::compare::ObjectChange;
use domain::content::object::CommitHash;
use domain::id::ObjectId;
use serde::{Deserialize, Serialize};
use store::content::compare;
use wire::{Endpoint, Reply, Request, endpoint};

use crate::app::App;
use crate::routes::page::PageRequest;

/// The endpoints of comparisons.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(handle)]
}

/// The compared commits and the last object of the previous page.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct ComparePosition {
    base: Option<CommitHash>,
    head: Option<CommitHash>,
    last: ObjectId,
}

/// Compares two commits or branches: the objects that differ, and their differing fields. Uncommitted changes are
/// ignored.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, CompareCommits>,
) -> Result<Reply<CompareResponse>> {
    let at = &request.path.project_id;
    let CompareQuery { base, head, merge_base, limit, cursor } = request.query;
    let from_merge_base = merge_base.unwrap_or_default();
    let list = ("compare", at.project, &base, &head, from_merge_base);
    let page: PageRequest<_, ComparePosition> = PageRequest::open(&app.cursors, list, limit, cursor)?;
    let (commits, found) = app
        .store
        .read(&request.call, at, async |tx, project| {
            let commits = match page.from {
                Some(ComparePosition { base, head, .. }) => (base, head),
                None => compare::sides(tx, project, (&base, &head), from_merge_base).await?,
            };
            let found =
                compare::list(tx, project, commits, page.from.map(|after| after.last), page.rows()).await?;
            Ok((commits, found))
        })
        .await?;
    let (base, head) = commits;
    let position = |change: &ObjectChange| ComparePosition { base, head, last: change.object_id };
    let (objects, meta) = page.cut(found, position)?;
    let or_zero = |commit: Option<CommitHash>| commit.unwrap_or(CommitHash::ZERO);
    Ok(Reply::ok(CompareResponse { base_hash: or_zero(base), head_hash: or_zero(head), objects, meta }))
}
