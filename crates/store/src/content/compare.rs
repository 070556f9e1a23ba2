//! What differs between commits: read as far as it differs, never the project.

use std::collections::HashMap;

use auth::actor::ProjectRead;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::compare::{ChangeKind, ObjectChange, Point};
use domain::id::{ObjectId, ProjectId};
use domain::object::{CommitHash, Object};
use domain::{Error, Result};
use git::{CommonAncestor, Comparison, Differing, Record, fields};

use crate::access::project::Project;
use crate::content::git_objects;
use crate::decode;
use crate::failure::failure;
use crate::schema::{branches, commits};
use crate::transaction::Tx;

/// Most places that are read at once where everything is, which bounds the memory that a batch takes.
const BATCH: usize = 4_096;
/// How many commits are read at once where a common ancestor is looked for.
const GENERATIONS: i64 = 500;

/// The commit that a point stands for; `None` for a branch without one.
///
/// # Errors
/// `NOT_FOUND` where the project has no such branch or commit.
pub async fn resolve<P>(tx: &mut Tx, project: &Project<P>, point: &Point) -> Result<Option<CommitHash>> {
    let id = project.record.id.0;
    let commit: Option<Option<Vec<u8>>> = match point {
        Point::Branch(name) => {
            branches::table
                .filter(branches::project_id.eq(id).and(branches::name.eq(name.as_str())))
                .select(branches::head)
                .first(tx.connection()?)
                .await
        }
        Point::Commit(hash) => {
            commits::table
                .find((id, hash.0.as_slice()))
                .select(commits::oid.nullable())
                .first(tx.connection()?)
                .await
        }
    }
    .optional()
    .map_err(failure)?;
    commit.ok_or_else(Error::not_found)?.as_deref().map(decode::commit_hash).transpose()
}

/// At most `rows` of the objects that differ between two commits, after `after`, in an order that never changes.
/// Uncommitted changes are no part of a commit.
///
/// # Errors
/// `UNAVAILABLE`; `INTERNAL_ERROR` where the content is corrupt.
pub async fn list(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    (base, head): (Option<CommitHash>, Option<CommitHash>),
    after: Option<ObjectId>,
    rows: u32,
) -> Result<Vec<ObjectChange>> {
    let comparison = Comparison::new([base, head]);
    let mut comparison = match after {
        Some(last) => comparison.after(last),
        None => comparison,
    };
    let rows = usize::try_from(rows).map_err(Error::internal)?;
    let mut found = Vec::new();
    while found.len() < rows
        && let Some(differing) = step(tx, project.record.id, &mut comparison, rows).await?
    {
        found.extend(differing);
    }
    found.truncate(rows);
    found.iter().map(change).collect()
}

/// Every object that differs between commits.
pub(crate) async fn all<const N: usize>(
    tx: &mut Tx,
    project: ProjectId,
    commits: [Option<CommitHash>; N],
) -> Result<Vec<Differing<N>>> {
    let mut comparison = Comparison::new(commits);
    let mut found = Vec::new();
    while let Some(differing) = step(tx, project, &mut comparison, BATCH).await? {
        found.extend(differing);
    }
    Ok(found)
}

/// The last common ancestor of two commits. The cost follows what the project has committed since.
pub(crate) async fn common_ancestor<P>(
    tx: &mut Tx,
    project: &Project<P>,
    ours: CommitHash,
    theirs: CommitHash,
) -> Result<Option<CommitHash>> {
    let mut search = CommonAncestor::new(ours, theirs);
    let mut before = i64::MAX;
    loop {
        let rows: Vec<(Vec<u8>, Vec<Vec<u8>>, i64)> = commits::table
            .filter(commits::project_id.eq(project.record.id.0).and(commits::number.lt(before)))
            .select((commits::oid, commits::parents, commits::number))
            .order(commits::number.desc())
            .limit(GENERATIONS)
            .load(tx.connection()?)
            .await
            .map_err(failure)?;
        let Some((_, _, last)) = rows.last() else { return Ok(None) };
        before = *last;
        for (oid, parents, _) in rows {
            let commit = decode::commit_hash(&oid)?;
            let parents = parents.iter().map(|parent| decode::commit_hash(parent));
            if search.is(commit, &parents.collect::<Result<Vec<_>>>()?) {
                return Ok(Some(commit));
            }
        }
    }
}

/// Reads what the comparison wants next; `None` at its end.
async fn step<const N: usize>(
    tx: &mut Tx,
    project: ProjectId,
    comparison: &mut Comparison<N>,
    most: usize,
) -> Result<Option<Vec<Differing<N>>>> {
    let Some(wanted) = comparison.wanted(most) else { return Ok(None) };
    let found: HashMap<_, _> = git_objects::load(tx, project, &wanted).await?.into_iter().collect();
    comparison.supply(&found).map(Some)
}

fn change(differing: &Differing<2>) -> Result<ObjectChange> {
    let [base, head] = &differing.records;
    let [base, head] = [read(base)?, read(head)?];
    let change = match (&base, &head) {
        (None, _) => ChangeKind::Added,
        (Some(_), None) => ChangeKind::Deleted,
        (Some(_), Some(_)) => ChangeKind::Modified,
    };
    let fields = fields::changes(base.as_ref(), head.as_ref())?;
    let Object { id, name, object_type, parent, .. } =
        head.or(base).ok_or_else(|| Error::internal("an object differs that neither commit holds"))?;
    Ok(ObjectChange { object_id: id, change, name, object_type, parent_id: parent, fields })
}

fn read(record: &Option<Record>) -> Result<Option<Object>> {
    record.as_ref().map(Record::object).transpose()
}
