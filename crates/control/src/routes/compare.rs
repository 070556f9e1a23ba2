//! Compare two commits.

use auth::actor::ProjectRead;
use domain::Result;
use domain::compare::{ObjectChange, Point};
use domain::id::ObjectId;
use domain::object::CommitHash;
use domain::page::PageMeta;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::compare;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::projects::ProjectPath;

/// Which commits.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// A branch's name, or a commit's hash.
    base: Point,
    /// A branch's name, or a commit's hash.
    head: Point,
    /// 1 to 100, 50 unless said.
    limit: Option<String>,
    /// `meta.nextCursor` of the page before. It goes on with the commits that the first page compared.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of what differs.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CompareResponse")]
pub struct Answer {
    /// The commit that `base` stands for; 40 zeros for a branch without one.
    base_hash: CommitHash,
    /// The commit that `head` stands for; 40 zeros for a branch without one.
    head_hash: CommitHash,
    /// The objects that differ, in an order that stays.
    objects: Vec<ObjectChange>,
    meta: PageMeta,
}

/// What two commits are compared, and up to which object they have been.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Position {
    base: Option<CommitHash>,
    head: Option<CommitHash>,
    last: ObjectId,
}

/// Tells which objects, and which of their fields, differ between two commits or branches. Uncommitted changes are no
/// part of either.
pub async fn handle(app: App, request: Request<ProjectRead, ProjectPath, Query>) -> Result<Reply<Answer>> {
    let at = &request.path.project_id;
    let Query { base, head, limit, cursor } = request.query;
    let page: PageRequest<_, Position> =
        PageRequest::open(&app.cursors, ("compare", at.project, &base, &head), limit, cursor)?;
    let (commits, found) = app
        .store
        .read(&request.call, at, async |tx, project| {
            let commits = match page.from {
                Some(Position { base, head, .. }) => (base, head),
                None => {
                    (compare::resolve(tx, project, &base).await?, compare::resolve(tx, project, &head).await?)
                }
            };
            let found =
                compare::list(tx, project, commits, page.from.map(|after| after.last), page.rows()).await?;
            Ok((commits, found))
        })
        .await?;
    let (base, head) = commits;
    let position = |change: &ObjectChange| Position { base, head, last: change.object_id };
    let (objects, meta) = page.cut(found, position)?;
    let or_zero = |commit: Option<CommitHash>| commit.unwrap_or(CommitHash::ZERO);
    Ok(Reply::ok(Answer { base_hash: or_zero(base), head_hash: or_zero(head), objects, meta }))
}
