//! The last step of a merge: the branch moves to its next head. Its new commits close the cards that they name.

use auth::actor::ProjectWrite;
use domain::content::merge::MergeReport;
use domain::content::object::CommitHash;
use domain::content::snapshot::Changes;
use domain::event::change::ChangeData;
use domain::{Error, Result};
use git::{CommitWriter, Oid, Wish};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::content::merges::refuse_uncommitted;
use crate::resources::content::notifications::{ObjectsChanged, notify};
use crate::resources::content::{clone, commits, locks, texts, tree};
use crate::resources::outbox::NewChangeEvent;
use crate::resources::planning::cards::commits as card_commits;
use crate::resources::store::Tx;

/// The commit to make of a merge.
pub(super) struct NewCommit {
    pub(super) parents: Vec<CommitHash>,
    pub(super) message: String,
    /// Make it even if nothing changes.
    pub(super) may_be_empty: bool,
}

/// The next head of a branch.
pub(super) enum NewHead {
    /// An existing commit.
    Existing(CommitHash),
    /// A commit to write, with its changes of the tree.
    New { commit: NewCommit, writer: Box<CommitWriter>, changes: Changes },
}

/// The outcome of an attempt to move a branch.
pub(super) enum BranchMove {
    /// The branch has moved.
    Done(MergeReport),
    /// Its head is another one by now. The cards that the commits name were locked.
    Overtaken(Vec<Uuid>),
}

/// Moves the branch if its head is still the report's previous one.
pub(super) async fn move_branch(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    report: &MergeReport,
    next: &NewHead,
) -> Result<BranchMove> {
    let merged = merged(tx, project, report.previous_hash, next).await?;
    let cards = card_commits::lock(tx, project, next.message(), merged).await?;
    locks::hold_project(tx, project).await?;
    let branch = locks::hold_branch(tx, &project.branch).await?;
    if branch.head.unwrap_or(CommitHash::ZERO) != report.previous_hash {
        return Ok(BranchMove::Overtaken(cards.ids()));
    }
    refuse_uncommitted(tx, &branch).await?;
    let (head, new) = match next {
        NewHead::Existing(commit) => (*commit, None),
        NewHead::New { commit, writer, changes } => {
            let id = project.record.id;
            let author = commits::signature(tx, project.user, call.now).await?;
            let signed = (&author, commit.message.as_str());
            let written = commits::write(tx, id, &commit.parents, writer.as_ref().clone(), signed).await?;
            tree::derive(tx, id, report.previous_hash, written.hash, changes.clone()).await?;
            // A merged object may have a text that none of the branches has had.
            let present = changes.iter().filter(|(_, node)| node.is_some()).map(|(id, _)| *id);
            texts::note(tx, branch.id, present).await?;
            let change = ChangeData::of_commit(&branch.name, written.hash, &commit.message);
            tx.publish(NewChangeEvent::of_project(call, id, change));
            (written.hash, Some(written.hash))
        }
    };
    let locked = locks::lock_branch(tx, &branch).await?;
    commits::advance(tx, &locked, head).await?;
    notify(tx, project, call, &ObjectsChanged::moved_to(head)).await?;
    cards.record(tx, project, call, new).await?;
    Ok(BranchMove::Done(MergeReport { commit_hash: head, ..report.clone() }))
}

/// The existing commits that the default branch gets, if some may close cards. The cost depends on the number of
/// commits since the common ancestor.
async fn merged(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    previous: CommitHash,
    next: &NewHead,
) -> Result<Vec<CommitHash>> {
    let wants: Vec<Oid> = next.others().iter().map(|commit| Oid::from(*commit)).collect();
    if wants.is_empty() || !card_commits::are_waiting(tx, project).await? {
        return Ok(Vec::new());
    }
    let common = (previous != CommitHash::ZERO).then(|| previous.into()).into_iter().collect();
    let wish = Wish { wants, common, ..Wish::default() };
    let graph = clone::graph(tx, project, &wish).await?;
    // A long history would block the other requests of this thread.
    let selected = spawn_blocking(move || graph.select(&wish)).await.map_err(Error::internal)?;
    Ok(selected.commits.into_iter().map(|commit| CommitHash(commit.0)).collect())
}

impl NewHead {
    /// The message of the commit to write.
    fn message(&self) -> Option<&str> {
        match self {
            Self::Existing(_) => None,
            Self::New { commit, .. } => Some(&commit.message),
        }
    }

    /// The existing commits that lead to the head, apart from the previous head.
    fn others(&self) -> &[CommitHash] {
        match self {
            Self::Existing(commit) => std::slice::from_ref(commit),
            Self::New { commit, .. } => commit.parents.get(1..).unwrap_or_default(),
        }
    }
}
