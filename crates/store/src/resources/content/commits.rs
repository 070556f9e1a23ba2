//! Commits: creation from the working changes of a branch, and histories.

use auth::actor::{ProjectRead, ProjectWrite};
use database::decode;
use database::prelude::*;
use database::schema::{branches, commits, users, working_changes};
use diesel::sql_types::{Array, BigInt, Binary, Uuid as SqlUuid};
use domain::content::commit::{CardCommit, CommitMessage, CommitRecord};
use domain::content::object::{CommitHash, Object, Signature, TreeNode};
use domain::event::change::ChangeData;
use domain::id::{ObjectId, ProjectId, UserId};
use domain::people::email::address_in_commits;
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use futures_util::TryStreamExt;
use git::{Commit, CommitWriter, WrittenCommit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::{Branch, Project};
use crate::resources::content::{locks, tree};
use crate::resources::git_objects;
use crate::resources::outbox::NewChangeEvent;
use crate::resources::planning::cards::commits as card_commits;
use crate::resources::store::Tx;
use domain::content::snapshot::Changes;

/// Commits of the graph that one query reads.
const GRAPH_BATCH: i64 = 500;
/// Most lines of commits in a [`LogPosition`]: a cursor is sent in a URL.
const LINES_MAX: usize = 32;
/// Most commits of a card that are listed.
const LISTED_OF_CARD: i64 = 100;

/// A commit of a history, with the position after it.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// The commit.
    pub commit: CommitRecord,
    /// The start of the rest of the history.
    pub position: LogPosition,
}

/// A position in a history. It stays valid when the branch moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPosition {
    /// Numbers of commits. All remaining commits are these or their ancestors.
    ahead: Vec<i64>,
    /// All remaining commits have lower numbers. If more than [`LINES_MAX`] lines are open, `ahead` is the start of the page,
    /// and the page is walked again.
    before: i64,
}

/// Commits all working changes of the witness' branch, and records the commit with the cards that its message names.
///
/// # Errors
/// `NOTHING_TO_COMMIT` if it has none; `NOT_FOUND` if the branch is gone.
pub async fn create(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    message: &CommitMessage,
) -> Result<CommitRecord> {
    let id = project.record.id;
    let cards = card_commits::lock(tx, project, Some(message.as_str()), Vec::new()).await?;
    let branch = locks::lock(tx, project).await?;
    let parents: Vec<CommitHash> = branch.head.into_iter().collect();
    let mut writer = CommitWriter::new(id, &parents)?;
    let nodes = take_changes(tx, &branch, &mut writer).await?;
    if nodes.is_empty() {
        return Err(Error::new(Code::NothingToCommit, "The branch has no uncommitted changes."));
    }
    let author = signature(tx, project.user, call.now).await?;
    let written = write(tx, id, &parents, writer, (&author, message.as_str())).await?;
    advance(tx, &branch, written.hash).await?;
    tree::carry_over(tx, id, &branch, written.hash, nodes).await?;
    let change = ChangeData::of_commit(&branch.name, written.hash, message.as_str());
    tx.publish(NewChangeEvent::of_project(call, id, change));
    cards.record(tx, project, call, Some(written.hash)).await?;
    Ok(CommitRecord {
        hash: written.hash,
        parents,
        author: git::author(author).into(),
        message: message.as_str().trim_end().to_owned(),
        created_at: Timestamp::from_unix_seconds(call.now.unix_seconds()).unwrap_or(call.now),
    })
}

/// A commit of the project, by its hash. No branch needs to lead to it.
///
/// # Errors
/// `NOT_FOUND` if the project has no commit of this hash.
pub async fn get<P>(tx: &mut Tx, project: &Project<P>, hash: CommitHash) -> Result<CommitRecord> {
    let row: Option<CommitRow> = Statement::new(include_str!("commits/get.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Binary, _>(hash.0.as_slice())
        .get_result(tx)
        .await
        .optional()?;
    row.ok_or_else(Error::not_found)?.record()
}

/// The history of the witness' branch, newest first, from `position` or from its head. It includes merged commits. The cost
/// depends on the number of rows, not on the length of the history.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    position: Option<LogPosition>,
    rows: u32,
) -> Result<Vec<LogEntry>> {
    let id = project.record.id;
    let LogPosition { ahead: start, before } = match (position, project.branch.head) {
        (Some(position), _) => position,
        (None, Some(head)) => {
            LogPosition { ahead: vec![commit_number(tx, id, head).await?], before: i64::MAX }
        }
        (None, None) => return Ok(Vec::new()),
    };
    let most = usize::try_from(rows).map_err(Error::internal)?;
    let mut ahead = start.clone();
    let mut found: Vec<LogEntry> = Vec::with_capacity(most);
    while found.len() < most && !ahead.is_empty() {
        let passed: Vec<PassedRow> = Statement::new(include_str!("commits/list.sql"))
            .bind::<SqlUuid, _>(id.0)
            .bind::<Array<BigInt>, _>(std::mem::take(&mut ahead))
            .bind::<BigInt, _>(i64::from(rows))
            .load(tx)
            .await?;
        ahead = passed.last().map(|last| last.ahead.clone()).unwrap_or_default();
        for PassedRow { commit, number, ahead } in passed {
            if number < before && found.len() < most {
                let ahead = if ahead.len() <= LINES_MAX { ahead } else { start.clone() };
                let position = LogPosition { ahead, before: number };
                found.push(LogEntry { commit: commit.record()?, position });
            }
        }
    }
    Ok(found)
}

/// The commits whose messages name a card, newest first, at most [`LISTED_OF_CARD`].
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn of_card<P>(tx: &mut Tx, card: &Card<P>) -> Result<Vec<CardCommit>> {
    let rows: Vec<CommitRow> = Statement::new(include_str!("commits/of_card.sql"))
        .bind::<SqlUuid, _>(card.id().0)
        .bind::<BigInt, _>(LISTED_OF_CARD)
        .load(tx)
        .await?;
    let commits: Vec<CommitRecord> = rows.into_iter().map(CommitRow::record).collect::<Result<_>>()?;
    let messages = commits.iter().map(|commit| commit.message.as_str());
    let closing = card_commits::are_closing(tx, card, messages).await?;
    Ok(commits.into_iter().zip(closing).map(|(commit, closes)| CardCommit::new(commit, closes)).collect())
}

/// The number of a commit: its place in the order in which the project's commits were written.
async fn commit_number(tx: &mut Tx, project: ProjectId, commit: CommitHash) -> Result<i64> {
    commits::table
        .find((project.0, commit.0.as_slice()))
        .select(commits::number)
        .first(tx)
        .await
        .map_err(Error::from)
}

/// A commit in the project's graph.
pub(crate) struct CommitNode {
    pub(crate) commit: CommitHash,
    pub(crate) parents: Vec<CommitHash>,
    /// Greater than the numbers of all its ancestors.
    pub(crate) number: i64,
}

/// A batch of the project's commits before `number`, newest first. A search for a common ancestor reads these batches: its
/// cost depends on the ancestor's age.
pub(crate) async fn written_before<P>(
    tx: &mut Tx,
    project: &Project<P>,
    number: i64,
) -> Result<Vec<CommitNode>> {
    let rows: Vec<(Vec<u8>, Vec<Vec<u8>>, i64)> = commits::table
        .filter(commits::project_id.eq(project.record.id.0).and(commits::number.lt(number)))
        .select((commits::oid, commits::parents, commits::number))
        .order(commits::number.desc())
        .limit(GRAPH_BATCH)
        .load(tx)
        .await?;
    let node = |(oid, parents, number): (Vec<u8>, Vec<Vec<u8>>, i64)| {
        let parents = parents.iter().map(|parent| decode::commit_hash(parent));
        Ok(CommitNode {
            commit: decode::commit_hash(&oid)?,
            parents: parents.collect::<Result<_>>()?,
            number,
        })
    };
    rows.into_iter().map(node).collect()
}

/// Stores the commit of `writer`'s changes, after reading the parts of its first parent that it needs.
pub(crate) async fn write(
    tx: &mut Tx,
    project: ProjectId,
    parents: &[CommitHash],
    mut writer: CommitWriter,
    (author, message): (&Signature, &str),
) -> Result<WrittenCommit> {
    while let Some(wanted) = writer.wanted()? {
        git_objects::for_each(tx, project, &wanted, |oid, data| writer.supply(oid, &data)).await?;
    }
    let written = writer.finish(author, message)?;
    git_objects::insert(tx, project, &written.objects).await?;
    let parents: Vec<&[u8]> = parents.iter().map(|parent| parent.0.as_slice()).collect();
    // Equal content, author, second and parents make an equal commit, which may exist already.
    diesel::insert_into(commits::table)
        .values((
            commits::project_id.eq(project.0),
            commits::oid.eq(written.hash.0.as_slice()),
            commits::parents.eq(parents),
        ))
        .on_conflict_do_nothing()
        .execute(tx)
        .await?;
    Ok(written)
}

/// Moves the locked branch to a commit.
pub(crate) async fn advance(tx: &mut Tx, branch: &Branch, head: CommitHash) -> Result<()> {
    let moved = diesel::update(branches::table.find(branch.id))
        .set(branches::head.eq(head.0.as_slice()))
        .execute(tx)
        .await?;
    if moved == 1 { Ok(()) } else { Err(Error::internal("a locked branch is gone")) }
}

/// The signature of a user: current name, and the address that stands for the user unless it shows its own.
pub(crate) async fn signature(tx: &mut Tx, user: UserId, time: Timestamp) -> Result<Signature> {
    let columns = (users::display_name, users::email, users::shows_email_in_commits);
    let (name, email, shows_email): (String, String, bool) =
        users::table.find(user.0).select(columns).first(tx).await?;
    let email = if shows_email { email } else { address_in_commits(user, &tx.commit_host) };
    Ok(Signature { name, email, time })
}

/// Moves the working changes of the locked branch into `writer`; returns the changes of the tree. Rows are streamed: memory
/// holds one at a time, beside the writer's own data.
async fn take_changes(tx: &mut Tx, branch: &Branch, writer: &mut CommitWriter) -> Result<Changes> {
    let mut rows = diesel::delete(working_changes::table.filter(working_changes::branch_id.eq(branch.id)))
        .returning((working_changes::object_id, working_changes::record))
        .load_stream::<(Uuid, Option<Value>), _>(tx)
        .await?;
    let mut changes = Changes::new();
    while let Some((id, record)) = rows.try_next().await? {
        let object = record.map(serde_json::from_value::<Object>).transpose().map_err(Error::internal)?;
        match &object {
            Some(object) => writer.put(object)?,
            None => writer.remove(ObjectId(id)),
        }
        changes.insert(ObjectId(id), object.map(TreeNode::from));
    }
    Ok(changes)
}

#[derive(QueryableByName)]
struct CommitRow {
    #[diesel(sql_type = Binary)]
    oid: Vec<u8>,
    #[diesel(sql_type = Binary)]
    data: Vec<u8>,
}

/// A commit on the walk down a history.
#[derive(QueryableByName)]
struct PassedRow {
    #[diesel(embed)]
    commit: CommitRow,
    #[diesel(sql_type = BigInt)]
    number: i64,
    /// Numbers of the commits that are reached and not yet passed.
    #[diesel(sql_type = Array<BigInt>)]
    ahead: Vec<i64>,
}

impl CommitRow {
    fn record(self) -> Result<CommitRecord> {
        let hash = decode::commit_hash(&self.oid)?;
        let Commit { parents, author, message, .. } = Commit::parse(hash, &self.data)?;
        let created_at = author.time;
        Ok(CommitRecord { hash, parents, author: author.into(), message, created_at })
    }
}
