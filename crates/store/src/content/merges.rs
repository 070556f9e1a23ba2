//! Merges and reverts: what one line of commits has that a branch has not becomes a commit of the branch.

use std::collections::HashMap;

use auth::actor::ProjectWrite;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::commit::CommitMessage;
use domain::compare::Point;
use domain::id::ObjectId;
use domain::merge::{Conflict, MergeReport, MergeStatus, Resolution};
use domain::object::{CommitHash, TreeNode};
use domain::{Code, Error, Result};
use git::{CommitWriter, Merge, Merged};
use serde_json::json;

use crate::access::project::{Branch, Project};
use crate::call::Call;
use crate::content::told::{self, Told};
use crate::content::{commits, compare, locks, tree};
use crate::failure::failure;
use crate::schema::working_changes;
use crate::transaction::Tx;

/// Conflicts that a refusal names, at most, beside their number: whoever decides these is told the next.
const REPORTED_CONFLICTS: usize = 1_000;

/// How a merge or a revert is to be made.
#[derive(Clone, Debug)]
pub struct MergeOptions {
    /// What the new commit says; a text of ours where there is none.
    pub message: Option<CommitMessage>,
    /// The commit at which the branch is expected to be.
    pub expected_head: Option<CommitHash>,
    /// How conflicts are decided.
    pub resolutions: Vec<Resolution>,
    /// Whether it is only to be tried.
    pub dry_run: bool,
}

/// Merges a point of the project's history into the witness' branch. A branch that has no commit of its own since is
/// moved forward, without a commit of the merge. A dry run fails as the merge would, and writes nothing.
///
/// # Errors
/// `NOT_FOUND` where there is no such point; `BRANCH_CONFLICT` where the branch has uncommitted changes, or is not where
/// it was expected; `MERGE_CONFLICT` with what is not decided, the first thousand of it; `INVALID_REQUEST` where a resolution can't be
/// followed.
pub async fn merge(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    source: &Point,
    options: &MergeOptions,
) -> Result<MergeReport> {
    let branch = hold(tx, project, options).await?;
    let theirs = compare::resolve(tx, project, source).await?.ok_or_else(|| {
        Error::new(Code::BranchConflict, "There is nothing to merge: the source has no commit yet.")
    })?;
    let base = match branch.head {
        Some(ours) => compare::common_ancestor(tx, project, ours, theirs).await?,
        None => None,
    };
    let report = MergeReport {
        status: MergeStatus::UpToDate,
        dry_run: options.dry_run,
        commit_hash: branch.head.unwrap_or(CommitHash::ZERO),
        previous_hash: branch.head.unwrap_or(CommitHash::ZERO),
        base_hash: base.unwrap_or(CommitHash::ZERO),
        source_hash: theirs,
    };
    if base == Some(theirs) {
        return Ok(report);
    }
    refuse_uncommitted(tx, &branch).await?;
    let Some(ours) = branch.head.filter(|ours| base != Some(*ours)) else {
        let report = MergeReport { status: MergeStatus::FastForward, ..report };
        return advance(tx, call, &branch, report, theirs).await;
    };
    let source = match source {
        Point::Branch(name) => format!("branch '{name}'"),
        Point::Commit(hash) => format!("commit {hash}"),
    };
    let three = Three { base, ours, theirs: Some(theirs) };
    let commit = NewCommit {
        parents: vec![ours, theirs],
        message: format!("Merge {source} into {}", branch.name),
        // What was merged is remembered even where both sides hold the same.
        may_be_empty: true,
    };
    combine(tx, project, call, (&branch, three, commit), options, report).await
}

/// Takes back what one commit changed, as a new commit of the witness' branch; of a merge, what it brought to its first
/// parent's line. A dry run fails as the revert would, and writes nothing.
///
/// # Errors
/// As [`merge`]; `BRANCH_CONFLICT` also for a commit that follows none.
pub async fn revert(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    reverted: CommitHash,
    options: &MergeOptions,
) -> Result<MergeReport> {
    let branch = hold(tx, project, options).await?;
    let commit = commits::get(tx, project, reverted).await?;
    let [before, ..] = *commit.parents.as_slice() else {
        return Err(Error::new(Code::BranchConflict, "A commit that follows none can't be reverted."));
    };
    let Some(ours) = branch.head else {
        return Err(Error::new(Code::BranchConflict, "The branch has no commit yet."));
    };
    refuse_uncommitted(tx, &branch).await?;
    let report = MergeReport {
        status: MergeStatus::UpToDate,
        dry_run: options.dry_run,
        commit_hash: ours,
        previous_hash: ours,
        base_hash: reverted,
        source_hash: before,
    };
    let subject = commit.message.lines().next().unwrap_or_default();
    let commit = NewCommit {
        parents: vec![ours],
        message: format!("Revert \"{subject}\"\n\nThis reverts commit {reverted}."),
        may_be_empty: false,
    };
    let three = Three { base: Some(reverted), ours, theirs: Some(before) };
    combine(tx, project, call, (&branch, three, commit), options, report).await
}

/// The commits of a three-way merge.
#[derive(Clone, Copy)]
struct Three {
    base: Option<CommitHash>,
    ours: CommitHash,
    theirs: Option<CommitHash>,
}

/// The commit to make of a merge.
struct NewCommit {
    parents: Vec<CommitHash>,
    /// Unless the request has one.
    message: String,
    /// Whether there is to be one even where nothing changes.
    may_be_empty: bool,
}

/// The branch as it is, and, but for a dry run, as it stays until the transaction ends.
async fn hold(tx: &mut Tx, project: &Project<ProjectWrite>, options: &MergeOptions) -> Result<Branch> {
    let branch = if options.dry_run {
        project.branch.clone()
    } else {
        locks::hold_project(tx, project).await?;
        locks::hold_branch(tx, &project.branch).await?
    };
    let head = branch.head.unwrap_or(CommitHash::ZERO);
    match options.expected_head {
        Some(expected) if expected != head => {
            Err(Error::new(Code::BranchConflict, "The branch is not at the commit that was expected.")
                .with_details(json!({ "branch": branch.name, "expectedHead": expected, "commitHash": head })))
        }
        _ => Ok(branch),
    }
}

/// A merge makes a commit of what is committed; what is not would be left over another one than it was made on.
async fn refuse_uncommitted(tx: &mut Tx, branch: &Branch) -> Result<()> {
    let changes = working_changes::table.filter(working_changes::branch_id.eq(branch.id));
    let has_changes: bool =
        diesel::select(exists(changes)).get_result(tx.connection()?).await.map_err(failure)?;
    if has_changes {
        let message = "The branch has uncommitted changes: commit or discard them first.";
        return Err(Error::new(Code::BranchConflict, message).with_details(json!({ "branch": branch.name })));
    }
    Ok(())
}

/// Merges what three commits hold, and moves the branch to a new commit of that.
async fn combine(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    (branch, three, commit): (&Branch, Three, NewCommit),
    options: &MergeOptions,
    report: MergeReport,
) -> Result<MergeReport> {
    let id = project.record.id;
    let Three { base, ours, theirs } = three;
    let differing = compare::all(tx, id, [base, Some(ours), theirs]).await?;
    let before = tree::committed(tx, id, Some(ours)).await?;
    let hanging: HashMap<ObjectId, ObjectId> =
        before.tree.tree.iter().map(|node| (node.id, node.parent)).collect();
    let merge =
        Merge { project: id, ours: hanging, differing: &differing, resolutions: &options.resolutions };
    let changes = match merge.run()? {
        Merged::Clean(changes) => changes,
        Merged::Conflicting(conflicts) => return Err(conflict(three, &conflicts)),
    };
    if changes.is_empty() && !commit.may_be_empty {
        return Ok(report);
    }
    let report = MergeReport { status: MergeStatus::Merged, ..report };
    if options.dry_run {
        return Ok(report);
    }
    let mut writer = CommitWriter::new(id, &commit.parents)?;
    for (id, object) in &changes {
        match object {
            Some(object) => writer.put(object)?,
            None => writer.remove(*id),
        }
    }
    let author = commits::signature(tx, project.user, call.now).await?;
    let message = options.message.as_ref().map_or(commit.message.as_str(), CommitMessage::as_str);
    let written = commits::write(tx, id, &commit.parents, writer, (&author, message)).await?;
    let nodes = changes.into_iter().map(|(id, object)| (id, object.map(TreeNode::from)));
    tree::derive(tx, id, ours, written.hash, nodes.collect()).await?;
    advance(tx, call, branch, report, written.hash).await
}

/// Moves the branch to a commit, but for a dry run.
async fn advance(
    tx: &mut Tx,
    call: &Call<ProjectWrite>,
    branch: &Branch,
    report: MergeReport,
    commit: CommitHash,
) -> Result<MergeReport> {
    if report.dry_run {
        return Ok(report);
    }
    let locked = locks::lock_branch(tx, branch).await?;
    commits::advance(tx, &locked, commit).await?;
    told::change(tx, &branch.name, call, &Told::moved_to(commit)).await?;
    Ok(MergeReport { commit_hash: commit, ..report })
}

fn conflict(Three { base, ours, theirs }: Three, conflicts: &[Conflict]) -> Error {
    let or_zero = |commit: Option<CommitHash>| commit.unwrap_or(CommitHash::ZERO);
    Error::new(Code::MergeConflict, "Both sides have changed the same. Decide each conflict by a resolution.")
        .with_details(json!({
            "base": or_zero(base),
            "ours": ours,
            "theirs": or_zero(theirs),
            "conflicts": conflicts.iter().take(REPORTED_CONFLICTS).collect::<Vec<_>>(),
            "total": conflicts.len(),
        }))
}
