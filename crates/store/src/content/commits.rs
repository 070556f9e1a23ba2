//! Commits: the working changes of a branch become one; histories are read back.

use std::collections::HashMap;

use auth::actor::{ProjectRead, ProjectWrite};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::commit::{CommitMessage, CommitRecord};
use domain::id::{ObjectId, ProjectId, UserId};
use domain::object::{CommitHash, Object, Signature, TreeNode};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use git::{Commit, CommitWriter, Written};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::access::project::{Branch, Project};
use crate::call::Call;
use crate::content::{git_objects, locks, tree};
use crate::decode;
use crate::failure::failure;
use crate::schema::{branches, commits, users, working_changes};
use crate::statement::Statement;
use crate::transaction::Tx;

/// A commit with its place in the order in which the service wrote them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Numbered {
    /// The commit.
    pub commit: CommitRecord,
    /// Greater than that of every commit that it follows.
    pub number: i64,
}

/// Commits all working changes of the witness' branch.
///
/// # Errors
/// `NOTHING_TO_COMMIT` where it has none; `NOT_FOUND` where the branch is gone.
pub async fn create(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    message: &CommitMessage,
) -> Result<CommitRecord> {
    let id = project.record.id;
    locks::hold_project(tx, project).await?;
    let branch = locks::lock_branch(tx, &project.branch).await?;
    let parents: Vec<CommitHash> = branch.head.into_iter().collect();
    let mut writer = CommitWriter::new(id, &parents)?;
    let changes = take_changes(tx, &branch).await?;
    if changes.is_empty() {
        return Err(Error::new(Code::NothingToCommit, "The branch has no uncommitted changes."));
    }
    let mut nodes = HashMap::with_capacity(changes.len());
    for (id, record) in changes {
        let object = record.map(serde_json::from_value::<Object>).transpose().map_err(Error::internal)?;
        match &object {
            Some(object) => writer.put(object)?,
            None => writer.remove(id),
        }
        nodes.insert(id, object.map(TreeNode::from));
    }
    let author = signature(tx, project.user, call.now).await?;
    let written = write(tx, id, &parents, writer, (&author, message.as_str())).await?;
    advance(tx, &branch, written.hash).await?;
    tree::carry_over(tx, id, &branch, written.hash, nodes).await?;
    Ok(CommitRecord {
        hash: written.hash,
        parents,
        author: git::author(author).into(),
        message: message.as_str().trim_end().to_owned(),
        created_at: Timestamp::from_unix_seconds(call.now.unix_seconds()).unwrap_or(call.now),
    })
}

/// A commit of the project, on whatever branch.
///
/// # Errors
/// `NOT_FOUND` where the project has no commit of this hash.
pub async fn get<P>(tx: &mut Tx, project: &Project<P>, hash: CommitHash) -> Result<CommitRecord> {
    let row: Option<Row> = Statement::new(include_str!("commits/get.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Binary, _>(hash.0.as_slice())
        .get_result(tx.connection()?)
        .await
        .optional()
        .map_err(failure)?;
    Ok(row.ok_or_else(Error::not_found)?.numbered()?.commit)
}

/// The history of the witness' branch, newest first: its head and every commit that it follows, those that were
/// merged included. `before` is the number of the last commit of the page before.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    before: Option<i64>,
    rows: u32,
) -> Result<Vec<Numbered>> {
    let Some(head) = project.branch.head else {
        return Ok(Vec::new());
    };
    let rows: Vec<Row> = Statement::new(include_str!("commits/list.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Binary, _>(head.0.as_slice())
        .bind::<Nullable<BigInt>, _>(before)
        .bind::<BigInt, _>(i64::from(rows))
        .load(tx.connection()?)
        .await
        .map_err(failure)?;
    rows.into_iter().map(Row::numbered).collect()
}

/// Stores the commit that `writer` has the changes of; what it needs of its first parent is read. `why` is author
/// and message.
pub(crate) async fn write(
    tx: &mut Tx,
    project: ProjectId,
    parents: &[CommitHash],
    mut writer: CommitWriter,
    why: (&Signature, &str),
) -> Result<Written> {
    while let Some(wanted) = writer.wanted()? {
        for (oid, data) in git_objects::load(tx, project, &wanted).await? {
            writer.supply(oid, &data)?;
        }
    }
    let (author, message) = why;
    let written = writer.finish(author, message)?;
    git_objects::insert(tx, project, &written.objects).await?;
    let parents: Vec<&[u8]> = parents.iter().map(|parent| parent.0.as_slice()).collect();
    // The same content by the same author within a second of the same parents is the same commit.
    diesel::insert_into(commits::table)
        .values((
            commits::project_id.eq(project.0),
            commits::oid.eq(written.hash.0.as_slice()),
            commits::parents.eq(parents),
        ))
        .on_conflict_do_nothing()
        .execute(tx.connection()?)
        .await
        .map_err(failure)?;
    Ok(written)
}

/// Moves the locked branch to a commit.
pub(crate) async fn advance(tx: &mut Tx, branch: &Branch, head: CommitHash) -> Result<()> {
    let moved = diesel::update(branches::table.find(branch.id))
        .set(branches::head.eq(head.0.as_slice()))
        .execute(tx.connection()?)
        .await
        .map_err(failure)?;
    if moved == 1 { Ok(()) } else { Err(Error::internal("a locked branch is gone")) }
}

/// A user as the author of a commit.
pub(crate) async fn signature(tx: &mut Tx, user: UserId, time: Timestamp) -> Result<Signature> {
    let (name, email) = users::table
        .find(user.0)
        .select((users::display_name, users::email))
        .first(tx.connection()?)
        .await
        .map_err(failure)?;
    Ok(Signature { name, email, time })
}

/// Empties the overlay of the locked branch; returns what each object in it is now, `None` where it is deleted.
async fn take_changes(tx: &mut Tx, branch: &Branch) -> Result<Vec<(ObjectId, Option<Value>)>> {
    let rows: Vec<(Uuid, Option<Value>)> =
        diesel::delete(working_changes::table.filter(working_changes::branch_id.eq(branch.id)))
            .returning((working_changes::object_id, working_changes::record))
            .get_results(tx.connection()?)
            .await
            .map_err(failure)?;
    Ok(rows.into_iter().map(|(object, record)| (ObjectId(object), record)).collect())
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Binary)]
    oid: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    number: i64,
    #[diesel(sql_type = Binary)]
    data: Vec<u8>,
}

impl Row {
    fn numbered(self) -> Result<Numbered> {
        let hash = decode::commit_hash(&self.oid)?;
        let Commit { parents, author, message, .. } = Commit::parse(hash, &self.data)?;
        let created_at = author.time;
        let commit = CommitRecord { hash, parents, author: author.into(), message, created_at };
        Ok(Numbered { commit, number: self.number })
    }
}
