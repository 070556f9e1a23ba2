//! Differences between commits. Only the parts that differ are read.

use std::collections::HashMap;

use auth::actor::ProjectRead;
use database::decode;
use database::prelude::*;
use database::schema::{self, branches};
use domain::content::compare::{ChangeKind, ObjectChange, Point, aspect};
use domain::content::object::{CommitHash, Object};
use domain::id::{ObjectId, ProjectId};
use domain::{Code, Error, Result};
use git::{CommonAncestor, Comparison, Difference, ObjectRecord, fields};
use serde_json::json;

use crate::access::project::Project;
use crate::resources::content::commits::{self, CommitNode};
use crate::resources::git_objects;
use crate::resources::store::Tx;

/// Places that one step reads when all differences are wanted.
const STEP_PLACES: usize = 4_096;
/// Most bytes of the files that one request compares, of all commits together.
const MAX_BYTES: usize = 512 * 1024 * 1024;

/// The commit of a point; `None` for a branch without a commit.
///
/// # Errors
/// `NOT_FOUND` if the project has no such branch or commit.
pub async fn resolve<P>(tx: &mut Tx, project: &Project<P>, point: &Point) -> Result<Option<CommitHash>> {
    let id = project.record.id.0;
    let commit: Option<Option<Vec<u8>>> = match point {
        Point::Branch(name) => {
            branches::table
                .filter(branches::project_id.eq(id).and(branches::name.eq(name.as_str())))
                .select(branches::head)
                .first(tx)
                .await
        }
        Point::Commit(hash) => {
            schema::commits::table
                .find((id, hash.0.as_slice()))
                .select(schema::commits::oid.nullable())
                .first(tx)
                .await
        }
    }
    .optional()?;
    commit.ok_or_else(Error::not_found)?.as_deref().map(decode::commit_hash).transpose()
}

/// The commits that a comparison is of. With `from_merge_base` the base is the last common ancestor of both; `None` if they
/// have none.
///
/// # Errors
/// Those of [`resolve`].
pub async fn sides<P>(
    tx: &mut Tx,
    project: &Project<P>,
    (base, head): (&Point, &Point),
    from_merge_base: bool,
) -> Result<(Option<CommitHash>, Option<CommitHash>)> {
    let (base, head) = (resolve(tx, project, base).await?, resolve(tx, project, head).await?);
    match (base, head) {
        (Some(ours), Some(theirs)) if from_merge_base => {
            Ok((common_ancestor(tx, project, ours, theirs).await?, head))
        }
        sides => Ok(sides),
    }
}

/// At most `rows` of the objects that differ between two commits, after `after`, in a stable order. Uncommitted changes are
/// not included.
///
/// # Errors
/// `BRANCH_CONFLICT` if a page holds more than [`MAX_BYTES`]; `INTERNAL_ERROR` if the content is corrupt.
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
    let (mut found, mut left) = (Vec::new(), MAX_BYTES);
    while found.len() < rows
        && let Some(differing) = step(tx, project.record.id, &mut comparison, rows, &mut left).await?
    {
        found.extend(differing);
    }
    found.truncate(rows);
    found.iter().map(change).collect()
}

/// All objects that differ between commits.
///
/// # Errors
/// `BRANCH_CONFLICT` if they hold more than [`MAX_BYTES`].
pub(crate) async fn all<const N: usize>(
    tx: &mut Tx,
    project: ProjectId,
    commits: [Option<CommitHash>; N],
) -> Result<Vec<Difference<N>>> {
    let mut comparison = Comparison::new(commits);
    let (mut found, mut left) = (Vec::new(), MAX_BYTES);
    while let Some(differing) = step(tx, project, &mut comparison, STEP_PLACES, &mut left).await? {
        found.extend(differing);
    }
    Ok(found)
}

/// The last common ancestor of two commits. The cost depends on the number of commits since.
pub(crate) async fn common_ancestor<P>(
    tx: &mut Tx,
    project: &Project<P>,
    ours: CommitHash,
    theirs: CommitHash,
) -> Result<Option<CommitHash>> {
    let mut search = CommonAncestor::new(ours, theirs);
    let mut below = i64::MAX;
    loop {
        let written = commits::written_before(tx, project, below).await?;
        let Some(last) = written.last() else { return Ok(None) };
        below = last.number;
        for CommitNode { commit, parents, .. } in written {
            if search.is(commit, &parents) {
                return Ok(Some(commit));
            }
        }
    }
}

/// Makes one step of a comparison, with at most `left` bytes; `None` at its end.
async fn step<const N: usize>(
    tx: &mut Tx,
    project: ProjectId,
    comparison: &mut Comparison<N>,
    most: usize,
    left: &mut usize,
) -> Result<Option<Vec<Difference<N>>>> {
    let Some(wanted) = comparison.wanted(most) else { return Ok(None) };
    let mut found = HashMap::with_capacity(wanted.len());
    let take = |oid, data: Vec<u8>| {
        *left = left.checked_sub(data.len()).ok_or_else(too_much)?;
        found.insert(oid, data);
        Ok(())
    };
    git_objects::for_each(tx, project, &wanted, take).await?;
    comparison.supply(&found).map(Some)
}

fn too_much() -> Error {
    let message = "The commits differ by more than one request compares: take a commit between them.";
    Error::new(Code::BranchConflict, message).with_details(json!({ "limitBytes": MAX_BYTES }))
}

fn change(differing: &Difference<2>) -> Result<ObjectChange> {
    let [base, head] = &differing.records;
    let [base, head] = [read(base)?, read(head)?];
    let change = match (&base, &head) {
        (None, _) => ChangeKind::Added,
        (Some(_), None) => ChangeKind::Deleted,
        (Some(_), Some(_)) => ChangeKind::Modified,
    };
    let fields = fields::changes(base.as_ref(), head.as_ref())?;
    let (aspects, displacement) = match (&base, &head) {
        (Some(base), Some(head)) => aspect::aspects(base, head, &fields),
        _ => (Vec::new(), None),
    };
    let Object { id, name, object_type, parent, .. } =
        head.or(base).ok_or_else(|| Error::internal("neither commit holds an object that differs"))?;
    Ok(ObjectChange {
        object_id: id,
        change,
        name,
        object_type,
        parent_id: parent,
        aspects,
        displacement,
        fields,
    })
}

fn read(record: &Option<ObjectRecord>) -> Result<Option<Object>> {
    record.as_ref().map(ObjectRecord::object).transpose()
}
