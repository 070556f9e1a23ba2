//! Merges and reverts of commits on a branch.
//!
//! Commits never change. So they are read and merged without locks, on a separate thread. Only then is the branch locked. If
//! it has moved meanwhile, the merge starts again from its new head (docs/design/merges.md).

mod decisions;
mod landing;

use std::collections::HashMap;
use std::sync::Arc;

use auth::actor::ProjectWrite;
use database::prelude::*;
use database::schema::working_changes;
use diesel::dsl::exists;
use domain::content::commit::CommitMessage;
use domain::content::compare::Point;
use domain::content::merge::{Conflict, MergeReport, MergeStatus, Resolution};
use domain::content::object::{CommitHash, TreeNode};
use domain::content::project::ProjectRef;
use domain::id::{ObjectId, ProjectId};
use domain::planning::custom_field::CustomField;
use domain::{Code, Error, Result};
use git::{CommitWriter, Difference, Merge, MergeResult};
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::access::call::Call;
use crate::access::card;
use crate::access::project::{Branch, Project};
use crate::resources::content::merges::decisions::{brings_value, check_decisions};
use crate::resources::content::merges::landing::{BranchMove, NewCommit, NewHead, move_branch};
use crate::resources::content::{commits, compare, locks, tree};
use crate::resources::planning::custom_fields;
use crate::resources::store::{Store, Tx};
use domain::content::snapshot::{Changes, Snapshot};

/// Most conflicts that a refusal names, beside their number. A client that resolves these learns of the next.
const REPORTED_CONFLICTS: usize = 1_000;
/// Size after which a refusal names no further conflict, in bytes of JSON. A conflict may hold three objects.
const REPORTED_BYTES: usize = 4 * 1024 * 1024;
/// Attempts without a lock on the branch. The next one locks it first.
const ATTEMPTS: u32 = 3;

/// The options of a merge or a revert.
#[derive(Clone, Debug)]
pub struct MergeOptions {
    /// Commit message; `None`: a summary of the merge or the revert.
    pub message: Option<CommitMessage>,
    /// The head that the client expects.
    pub expected_head: Option<CommitHash>,
    /// The client's decisions on conflicts.
    pub resolutions: Vec<Resolution>,
    /// Only report the outcome; write nothing.
    pub dry_run: bool,
}

/// Merges a point of the project's history into a branch. A branch without commits of its own is fast-forwarded. A dry run
/// fails as the merge would, and writes nothing.
///
/// # Errors
/// `NOT_FOUND` if there is no such point; `BRANCH_CONFLICT` if the branch has uncommitted changes, is not at the expected
/// head, or differs by too much; `MERGE_CONFLICT` with the first thousand unresolved conflicts; `INVALID_REQUEST` if a
/// resolution can't be applied.
pub async fn merge(
    store: &Store,
    call: &Call<ProjectWrite>,
    into: &ProjectRef,
    source: &Point,
    options: &MergeOptions,
) -> Result<MergeReport> {
    let plan = async |tx: &mut Tx, project: &Project<ProjectWrite>| {
        plan_merge(tx, project, source, options).await?.with_fields(tx, project, options).await
    };
    run_plan(store, call, into, options, plan).await
}

/// Reverts the changes of one commit by a new commit on a branch. A merge is reverted against its first parent. A dry run
/// fails as the revert would, and writes nothing.
///
/// # Errors
/// As [`merge`]; also `BRANCH_CONFLICT` for a commit without a parent.
pub async fn revert(
    store: &Store,
    call: &Call<ProjectWrite>,
    on: &ProjectRef,
    reverted: CommitHash,
    options: &MergeOptions,
) -> Result<MergeReport> {
    let plan = async |tx: &mut Tx, project: &Project<ProjectWrite>| {
        plan_revert(tx, project, reverted, options).await?.with_fields(tx, project, options).await
    };
    run_plan(store, call, on, options, plan).await
}

/// The change of a branch that follows from its head and its source.
enum MergePlan {
    /// The branch stays as it is.
    Nothing(MergeReport),
    /// The branch is fast-forwarded to a commit of the source.
    Forward(MergeReport, CommitHash),
    /// The branch gets a new commit.
    Combine(Box<Combination>),
}

/// The differences of three commits, and the commit to make from them.
struct Combination {
    /// The report in case that nothing changes.
    report: MergeReport,
    project: ProjectId,
    commits: ThreeWay,
    differing: Vec<Difference<3>>,
    /// The tree of our commit.
    before: Arc<Snapshot>,
    new: NewCommit,
    /// The custom fields of objects, read if decisions bring values.
    fields: Vec<CustomField>,
}

/// The commits of a three-way merge.
#[derive(Clone, Copy)]
struct ThreeWay {
    base: Option<CommitHash>,
    ours: CommitHash,
    theirs: Option<CommitHash>,
}

/// Plans, combines, and moves the branch if its head is still the planned one. After [`ATTEMPTS`], the branch is locked
/// first.
async fn run_plan(
    store: &Store,
    call: &Call<ProjectWrite>,
    at: &ProjectRef,
    options: &MergeOptions,
    plan: impl AsyncFn(&mut Tx, &Project<ProjectWrite>) -> Result<MergePlan>,
) -> Result<MergeReport> {
    let mut named = Vec::new();
    for _ in 0..ATTEMPTS {
        let planned = store.read(call, at, &plan).await?;
        let (report, next) = planned.run(options).await?;
        let Some(next) = next else { return Ok(report) };
        let moved =
            store.mutate(call, at, async |tx, project| move_branch(tx, project, call, &report, &next).await);
        match moved.await? {
            BranchMove::Done(report) => return Ok(report),
            BranchMove::Overtaken(cards) => named = cards,
        }
    }
    store
        .mutate(call, at, async |tx, project| {
            // Cards come before branches. A card that a later commit names is locked after the branch: if that is a
            // deadlock, this transaction or the other one runs again.
            card::lock(tx, project, named.clone()).await?;
            locks::hold_project(tx, project).await?;
            let mut held = project.clone();
            held.branch = locks::hold_branch(tx, &project.branch).await?;
            let (report, next) = plan(tx, &held).await?.run(options).await?;
            let Some(next) = next else { return Ok(report) };
            match move_branch(tx, &held, call, &report, &next).await? {
                BranchMove::Done(report) => Ok(report),
                BranchMove::Overtaken(_) => Err(Error::internal("a locked branch has moved")),
            }
        })
        .await
}

impl MergePlan {
    /// Reads the custom fields that the values of decisions are checked by.
    async fn with_fields(
        mut self,
        tx: &mut Tx,
        project: &Project<ProjectWrite>,
        options: &MergeOptions,
    ) -> Result<Self> {
        if let Self::Combine(combination) = &mut self
            && options.resolutions.iter().any(brings_value)
        {
            combination.fields = custom_fields::of_objects(tx, project.record.id).await?;
        }
        Ok(self)
    }

    /// Combines commits on a separate thread; returns the branch's next head, if it changes.
    async fn run(self, options: &MergeOptions) -> Result<(MergeReport, Option<NewHead>)> {
        let (report, next) = match self {
            Self::Nothing(report) => (report, None),
            Self::Forward(report, commit) => (report, Some(NewHead::Existing(commit))),
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
    let found = compare::resolve(tx, project, source).await.map_err(|error| error.named_by("source"))?;
    let theirs = found.ok_or_else(|| {
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
        // The graph records the merge even if both sides hold the same.
        may_be_empty: true,
    };
    Combination::read(tx, project, ThreeWay { base, ours, theirs: Some(theirs) }, commit, report).await
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
    let commits = ThreeWay { base: Some(reverted), ours, theirs: Some(before) };
    Combination::read(tx, project, commits, commit, report).await
}

impl MergeOptions {
    /// The new commit's message, or `default`.
    fn message(&self, default: String) -> String {
        self.message.as_ref().map_or(default, |message| message.as_str().to_owned())
    }
}

impl Combination {
    async fn read(
        tx: &mut Tx,
        project: &Project<ProjectWrite>,
        commits: ThreeWay,
        new: NewCommit,
        report: MergeReport,
    ) -> Result<MergePlan> {
        let ThreeWay { base, ours, theirs } = commits;
        let project = project.record.id;
        let differing = compare::all(tx, project, [base, Some(ours), theirs]).await?;
        let before = tree::committed(tx, project, Some(ours)).await?;
        let fields = Vec::new();
        Ok(MergePlan::Combine(Box::new(Self { report, project, commits, differing, before, new, fields })))
    }

    /// Merges; returns the branch's next head, if it changes.
    fn run(self, resolutions: &[Resolution]) -> Result<(MergeReport, Option<NewHead>)> {
        let Self { report, project, commits, differing, before, new, fields } = self;
        let parents: HashMap<ObjectId, ObjectId> =
            before.tree.tree.iter().map(|node| (node.id, node.parent)).collect();
        let merge = Merge { project, ours: parents, differing: &differing, resolutions };
        let mut merged = match merge.run()? {
            MergeResult::Clean(merged) => merged,
            MergeResult::Conflicting(conflicts) => return Err(conflict(commits, &conflicts)),
        };
        check_decisions(&fields, &differing, resolutions, &mut merged)?;
        if merged.is_empty() && !new.may_be_empty {
            return Ok((report, None));
        }
        let mut writer = CommitWriter::new(project, &new.parents)?;
        let mut changes = Changes::with_capacity(merged.len());
        for (id, object) in merged {
            match &object {
                Some(object) => writer.put(object)?,
                None => writer.remove(id),
            }
            changes.insert(id, object.map(TreeNode::from));
        }
        let report = MergeReport { status: MergeStatus::Merged, ..report };
        Ok((report, Some(NewHead::New { commit: new, writer: Box::new(writer), changes })))
    }
}

/// Refuses a branch that is not at the expected head.
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

/// Refuses a branch with uncommitted changes: they would lie over another head than they were made on.
async fn refuse_uncommitted(tx: &mut Tx, branch: &Branch) -> Result<()> {
    let changes = working_changes::table.filter(working_changes::branch_id.eq(branch.id));
    let has_changes: bool = diesel::select(exists(changes)).get_result(tx).await?;
    if has_changes {
        let message = "The branch has uncommitted changes: commit or discard them first.";
        return Err(Error::new(Code::BranchConflict, message).with_details(json!({ "branch": branch.name })));
    }
    Ok(())
}

fn conflict(ThreeWay { base, ours, theirs }: ThreeWay, conflicts: &[Conflict]) -> Error {
    let or_zero = |commit: Option<CommitHash>| commit.unwrap_or(CommitHash::ZERO);
    let mut bytes = 0;
    let reported = conflicts.iter().take(REPORTED_CONFLICTS).take_while(|conflict| {
        let fits = bytes < REPORTED_BYTES;
        bytes += serde_json::to_vec(conflict).map_or(0, |json| json.len());
        fits
    });
    let reported: Vec<&Conflict> = reported.collect();
    Error::new(Code::MergeConflict, "Both sides have changed the same. Decide each conflict by a resolution.")
        .with_details(json!({
            "base": or_zero(base),
            "ours": ours,
            "theirs": or_zero(theirs),
            "conflicts": reported,
            "total": conflicts.len(),
        }))
}
