//! Merges and reverts: what one line of commits has that a branch has not becomes a commit of the branch.
//!
//! What commits hold never changes. So it is read and merged without holding anything, on a thread of its own, and only
//! then is the branch held: where it has moved on meanwhile, all is done again from where it is now.

use std::collections::HashMap;
use std::sync::Arc;

use auth::actor::ProjectWrite;
use diesel::dsl::exists;
use domain::commit::CommitMessage;
use domain::compare::Point;
use domain::id::{ObjectId, ProjectId};
use domain::merge::{Conflict, MergeReport, MergeStatus, Resolution};
use domain::object::{CommitHash, TreeNode};
use domain::project::ProjectRef;
use domain::{Code, Error, Result};
use git::{CommitWriter, Difference, Merge, MergeResult};
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::access::call::Call;
use crate::access::project::{Branch, Project};
use crate::db::prelude::*;
use crate::db::schema::working_changes;
use crate::resources::content::snapshot::{Changes, Snapshot};
use crate::resources::content::told::{self, Told};
use crate::resources::content::{commits, compare, locks, tree};
use crate::resources::store::{Store, Tx};

/// Conflicts that a refusal names, at most, beside their number: whoever decides these is told the next.
const REPORTED_CONFLICTS: usize = 1_000;
/// Bytes of these, as JSON, past which no further one is named: each may hold three whole objects.
const REPORTED_BYTES: usize = 4 * 1024 * 1024;
/// How often a merge begins without holding the branch, where that moves on while it is made.
const ATTEMPTS: u32 = 3;

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

/// Merges a point of the project's history into a branch. A branch that has no commit of its own since is moved forward,
/// without a commit of the merge. A dry run fails as the merge would, and writes nothing.
///
/// # Errors
/// `NOT_FOUND` where there is no such point; `BRANCH_CONFLICT` where the branch has uncommitted changes, is not where it
/// was expected, or differs by too much; `MERGE_CONFLICT` with what is not decided, the first
/// thousand of it; `INVALID_REQUEST` where a resolution can't be followed.
pub async fn merge(
    store: &Store,
    call: &Call<ProjectWrite>,
    into: &ProjectRef,
    source: &Point,
    options: &MergeOptions,
) -> Result<MergeReport> {
    let plan =
        async |tx: &mut Tx, project: &Project<ProjectWrite>| plan_merge(tx, project, source, options).await;
    make(store, call, into, options, plan).await
}

/// Takes back what one commit changed, as a new commit of a branch; of a merge, what it brought to its first parent's
/// line. A dry run fails as the revert would, and writes nothing.
///
/// # Errors
/// As [`merge`]; `BRANCH_CONFLICT` also for a commit that follows none.
pub async fn revert(
    store: &Store,
    call: &Call<ProjectWrite>,
    on: &ProjectRef,
    reverted: CommitHash,
    options: &MergeOptions,
) -> Result<MergeReport> {
    let plan = async |tx: &mut Tx, project: &Project<ProjectWrite>| {
        plan_revert(tx, project, reverted, options).await
    };
    make(store, call, on, options, plan).await
}

/// What is to become of a branch, as far as that can be told from where it and its source are.
enum MergePlan {
    /// It stays as it is.
    Nothing(MergeReport),
    /// It moves forward to a commit of the source's.
    Forward(MergeReport, CommitHash),
    /// It gets a new commit.
    Combine(Box<Combination>),
}

/// What three commits hold, and the commit to make of it.
struct Combination {
    /// Of a branch that stays as it is.
    report: MergeReport,
    project: ProjectId,
    three: Three,
    differing: Vec<Difference<3>>,
    /// The tree of ours.
    before: Arc<Snapshot>,
    commit: NewCommit,
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
    message: String,
    /// Whether there is to be one even where nothing changes.
    may_be_empty: bool,
}

/// Where a branch is to move to.
enum NewHead {
    /// A commit that there is.
    Known(CommitHash),
    /// One that is still to be written, with what it makes of objects of the one before.
    New { commit: NewCommit, writer: Box<CommitWriter>, changes: Changes },
}

/// Plans, combines and moves the branch, where it is still at what the plan found. Where others are faster again and again,
/// they wait in the end.
async fn make(
    store: &Store,
    call: &Call<ProjectWrite>,
    at: &ProjectRef,
    options: &MergeOptions,
    plan: impl AsyncFn(&mut Tx, &Project<ProjectWrite>) -> Result<MergePlan>,
) -> Result<MergeReport> {
    for _ in 0..ATTEMPTS {
        let planned = store.read(call, at, &plan).await?;
        let (report, next) = planned.run(options).await?;
        let Some(next) = next else { return Ok(report) };
        let moved =
            store.mutate(call, at, async |tx, project| move_to(tx, project, call, &report, &next).await);
        if let Some(moved) = moved.await? {
            return Ok(moved);
        }
    }
    store
        .mutate(call, at, async |tx, project| {
            locks::hold_project(tx, project).await?;
            let mut held = project.clone();
            held.branch = locks::hold_branch(tx, &project.branch).await?;
            let (report, next) = plan(tx, &held).await?.run(options).await?;
            let Some(next) = next else { return Ok(report) };
            let moved = move_to(tx, &held, call, &report, &next).await?;
            moved.ok_or_else(|| Error::internal("a branch that is held has moved on"))
        })
        .await
}

impl MergePlan {
    /// Combines what is to be combined, on a thread of its own; returns where the branch is to move to, if anywhere.
    async fn run(self, options: &MergeOptions) -> Result<(MergeReport, Option<NewHead>)> {
        let (report, next) = match self {
            Self::Nothing(report) => (report, None),
            Self::Forward(report, commit) => (report, Some(NewHead::Known(commit))),
            Self::Combine(combination) => {
                let resolutions = options.resolutions.clone();
                let combined = spawn_blocking(move || combination.run(&resolutions)).await;
                combined.map_err(Error::internal)??
            }
        };
        Ok((report, next.filter(|_| !options.dry_run)))
    }
}

async fn plan_merge(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    source: &Point,
    options: &MergeOptions,
) -> Result<MergePlan> {
    let branch = &project.branch;
    refuse_unexpected(branch, options)?;
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
        return Ok(MergePlan::Nothing(report));
    }
    refuse_uncommitted(tx, branch).await?;
    let Some(ours) = branch.head.filter(|ours| base != Some(*ours)) else {
        return Ok(MergePlan::Forward(MergeReport { status: MergeStatus::FastForward, ..report }, theirs));
    };
    let source = match source {
        Point::Branch(name) => format!("branch '{name}'"),
        Point::Commit(hash) => format!("commit {hash}"),
    };
    let commit = NewCommit {
        parents: vec![ours, theirs],
        message: options.message(format!("Merge {source} into {}", branch.name)),
        // What was merged is remembered even where both sides hold the same.
        may_be_empty: true,
    };
    Combination::read(tx, project, Three { base, ours, theirs: Some(theirs) }, commit, report).await
}

async fn plan_revert(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    reverted: CommitHash,
    options: &MergeOptions,
) -> Result<MergePlan> {
    let branch = &project.branch;
    refuse_unexpected(branch, options)?;
    let commit = commits::get(tx, project, reverted).await?;
    let [before, ..] = *commit.parents.as_slice() else {
        return Err(Error::new(Code::BranchConflict, "A commit that follows none can't be reverted."));
    };
    let Some(ours) = branch.head else {
        return Err(Error::new(Code::BranchConflict, "The branch has no commit yet."));
    };
    refuse_uncommitted(tx, branch).await?;
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
        message: options.message(format!("Revert \"{subject}\"\n\nThis reverts commit {reverted}.")),
        may_be_empty: false,
    };
    let three = Three { base: Some(reverted), ours, theirs: Some(before) };
    Combination::read(tx, project, three, commit, report).await
}

impl MergeOptions {
    /// What the new commit says, where the request does not.
    fn message(&self, otherwise: String) -> String {
        self.message.as_ref().map_or(otherwise, |message| message.as_str().to_owned())
    }
}

impl Combination {
    async fn read(
        tx: &mut Tx,
        project: &Project<ProjectWrite>,
        three: Three,
        commit: NewCommit,
        report: MergeReport,
    ) -> Result<MergePlan> {
        let Three { base, ours, theirs } = three;
        let project = project.record.id;
        let differing = compare::all(tx, project, [base, Some(ours), theirs]).await?;
        let before = tree::committed(tx, project, Some(ours)).await?;
        Ok(MergePlan::Combine(Box::new(Self { report, project, three, differing, before, commit })))
    }

    /// Merges; returns where the branch is to move to, if anywhere.
    fn run(self, resolutions: &[Resolution]) -> Result<(MergeReport, Option<NewHead>)> {
        let Self { report, project, three, differing, before, commit } = self;
        let hanging: HashMap<ObjectId, ObjectId> =
            before.tree.tree.iter().map(|node| (node.id, node.parent)).collect();
        let merge = Merge { project, ours: hanging, differing: &differing, resolutions };
        let merged = match merge.run()? {
            MergeResult::Clean(merged) => merged,
            MergeResult::Conflicting(conflicts) => return Err(conflict(three, &conflicts)),
        };
        if merged.is_empty() && !commit.may_be_empty {
            return Ok((report, None));
        }
        let mut writer = CommitWriter::new(project, &commit.parents)?;
        let mut changes = Changes::with_capacity(merged.len());
        for (id, object) in merged {
            match &object {
                Some(object) => writer.put(object)?,
                None => writer.remove(id),
            }
            changes.insert(id, object.map(TreeNode::from));
        }
        let report = MergeReport { status: MergeStatus::Merged, ..report };
        Ok((report, Some(NewHead::New { commit, writer: Box::new(writer), changes })))
    }
}

/// Refuses a branch that is not where the request expects it.
fn refuse_unexpected(branch: &Branch, options: &MergeOptions) -> Result<()> {
    let head = branch.head.unwrap_or(CommitHash::ZERO);
    match options.expected_head {
        Some(expected) if expected != head => {
            Err(Error::new(Code::BranchConflict, "The branch is not at the commit that was expected.")
                .with_details(json!({ "branch": branch.name, "expectedHead": expected, "commitHash": head })))
        }
        _ => Ok(()),
    }
}

/// A merge makes a commit of what is committed; what is not would be left over another one than it was made on.
async fn refuse_uncommitted(tx: &mut Tx, branch: &Branch) -> Result<()> {
    let changes = working_changes::table.filter(working_changes::branch_id.eq(branch.id));
    let has_changes: bool = diesel::select(exists(changes)).get_result(tx).await?;
    if has_changes {
        let message = "The branch has uncommitted changes: commit or discard them first.";
        return Err(Error::new(Code::BranchConflict, message).with_details(json!({ "branch": branch.name })));
    }
    Ok(())
}

/// Moves the branch, where it is still at the commit of the report; returns what was done then, and `None` where it has moved
/// on.
async fn move_to(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    report: &MergeReport,
    next: &NewHead,
) -> Result<Option<MergeReport>> {
    locks::hold_project(tx, project).await?;
    let branch = locks::hold_branch(tx, &project.branch).await?;
    if branch.head.unwrap_or(CommitHash::ZERO) != report.previous_hash {
        return Ok(None);
    }
    refuse_uncommitted(tx, &branch).await?;
    let head = match next {
        NewHead::Known(commit) => *commit,
        NewHead::New { commit, writer, changes } => {
            let id = project.record.id;
            let author = commits::signature(tx, project.user, call.now).await?;
            let why = (&author, commit.message.as_str());
            let written = commits::write(tx, id, &commit.parents, writer.as_ref().clone(), why).await?;
            tree::derive(tx, id, report.previous_hash, written.hash, changes.clone()).await?;
            written.hash
        }
    };
    let locked = locks::lock_branch(tx, &branch).await?;
    commits::advance(tx, &locked, head).await?;
    told::change(tx, &branch.name, call, &Told::moved_to(head)).await?;
    Ok(Some(MergeReport { commit_hash: head, ..report.clone() }))
}

fn conflict(Three { base, ours, theirs }: Three, conflicts: &[Conflict]) -> Error {
    let or_zero = |commit: Option<CommitHash>| commit.unwrap_or(CommitHash::ZERO);
    let mut bytes = 0;
    let told = conflicts.iter().take(REPORTED_CONFLICTS).take_while(|conflict| {
        let fits = bytes < REPORTED_BYTES;
        bytes += serde_json::to_vec(conflict).map_or(0, |json| json.len());
        fits
    });
    let told: Vec<&Conflict> = told.collect();
    Error::new(Code::MergeConflict, "Both sides have changed the same. Decide each conflict by a resolution.")
        .with_details(json!({
            "base": or_zero(base),
            "ours": ours,
            "theirs": or_zero(theirs),
            "conflicts": told,
            "total": conflicts.len(),
        }))
}
