//! Versions of an object's file: its states along the first parents of a branch.

use std::collections::{BTreeSet, HashMap};

use auth::actor::ProjectRead;
use database::decode;
use database::prelude::*;
use database::schema::working_changes;
use diesel::sql_types::{BigInt, Binary, Uuid as SqlUuid};
use domain::content::object::{CommitHash, FileRef, Object};
use domain::content::version::ObjectVersion;
use domain::id::{ObjectId, ProjectId, UserId};
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use git::{Commit, Oid, Trace};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::project::Project;
use crate::resources::branch_objects;
use crate::resources::content::commits;
use crate::resources::git_objects;
use crate::resources::store::Tx;

/// Commits that one step looks at.
const STEP_COMMITS: i64 = 500;
/// Most commits that one page looks at. A file that doesn't change for longer makes a page end early.
const PAGE_COMMITS: usize = 10_000;

/// A page of versions, newest first.
#[derive(Clone, Debug)]
pub struct VersionPage {
    /// The versions.
    pub versions: Vec<ObjectVersion>,
    /// The start of the next page, if there may be more.
    pub next: Option<VersionPosition>,
}

/// A position in the versions of a file. It stays valid when the branch moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionPosition {
    /// The newest commit that is not looked at yet.
    commit: CommitHash,
}

/// At most `rows` versions of an object's file on the witness' branch, from `position` or from its present state. The cost
/// depends on the number of commits that are looked at; a folder that they share is read once.
///
/// # Errors
/// `NOT_FOUND` if the object is not in the branch's tree, or owns no file there.
pub async fn list(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    object: ObjectId,
    position: Option<VersionPosition>,
    rows: usize,
) -> Result<VersionPage> {
    let id = project.record.id;
    let now = branch_objects::find(tx, id, &project.branch, object).await?;
    let file = now.and_then(|object| object.file).ok_or_else(Error::not_found)?;
    let mut versions = Vec::new();
    if position.is_none() {
        versions.extend(uncommitted(tx, project, object, &file).await?);
    }
    let mut next = position.map(|position| position.commit).or(project.branch.head);
    let (mut looked_at, mut brought) = (0, Vec::new());
    while let Some(start) = next {
        if versions.len() + brought.len() >= rows || looked_at >= PAGE_COMMITS {
            break;
        }
        // One more than is decided: the state before decides if a commit brought a version.
        let line = first_parents(tx, id, start).await?;
        let states = states(tx, id, object, &line).await?;
        let decided = line.len().min(usize::try_from(STEP_COMMITS).map_err(Error::internal)?);
        looked_at += decided;
        next = line.get(decided).copied();
        for (place, commit) in line.iter().enumerate().take(decided) {
            let file = |place: usize| states.get(place).and_then(Option::as_ref);
            let Some((name, own)) = file(place) else { continue };
            if file(place + 1).is_some_and(|(_, before)| is_same(before, own)) {
                continue;
            }
            brought.push((*commit, name.clone(), own.clone()));
            if versions.len() + brought.len() >= rows {
                next = line.get(place + 1).copied();
                break;
            }
        }
    }
    versions.extend(committed(tx, id, brought).await?);
    Ok(VersionPage { versions, next: next.map(|commit| VersionPosition { commit }) })
}

/// True if two files have the same bytes under the same extension.
fn is_same(one: &FileRef, other: &FileRef) -> bool {
    one.sha256 == other.sha256 && one.extension == other.extension
}

/// An object's working change: its record after and before, its author and its time.
type WorkingFileRow = (Option<Value>, Option<Value>, Option<Uuid>, OffsetDateTime);

/// The version of the working changes, if it is not the head's.
async fn uncommitted(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    object: ObjectId,
    file: &FileRef,
) -> Result<Option<ObjectVersion>> {
    let changed: Option<WorkingFileRow> = working_changes::table
        .find((project.branch.id, object.0))
        .select((
            working_changes::record,
            working_changes::committed,
            working_changes::changed_by,
            working_changes::changed_at,
        ))
        .first(tx)
        .await
        .optional()?;
    let Some((record, before, user, at)) = changed else { return Ok(None) };
    let read = |value: Option<Value>| {
        value.map(serde_json::from_value::<Object>).transpose().map_err(Error::internal)
    };
    let Some(record) = read(record)? else { return Ok(None) };
    if read(before)?.and_then(|before| before.file).is_some_and(|before| is_same(&before, file)) {
        return Ok(None);
    }
    let created_at = Timestamp(at);
    let author = match user {
        Some(user) => Some(commits::signature(tx, UserId(user), created_at).await?),
        None => None,
    };
    Ok(Some(ObjectVersion {
        commit_hash: None,
        message: None,
        author: author.map(|author| git::author(author).into()),
        created_at,
        name: record.name,
        file: file.clone(),
    }))
}

/// The versions that these commits brought, in their order.
async fn committed(
    tx: &mut Tx,
    project: ProjectId,
    brought: Vec<(CommitHash, Name, FileRef)>,
) -> Result<Vec<ObjectVersion>> {
    let commits: Vec<Oid> = brought.iter().map(|(commit, ..)| (*commit).into()).collect();
    let mut read: HashMap<Oid, Commit> = HashMap::with_capacity(commits.len());
    let parse = |oid: Oid, data: Vec<u8>| {
        read.insert(oid, Commit::parse(CommitHash(oid.0), &data)?);
        Ok(())
    };
    git_objects::for_each(tx, project, &commits, parse).await?;
    let version = |(commit, name, file): (CommitHash, Name, FileRef)| {
        let Commit { author, message, .. } =
            read.remove(&commit.into()).ok_or_else(|| Error::internal("a commit of the graph is missing"))?;
        Ok(ObjectVersion {
            commit_hash: Some(commit),
            message: Some(message),
            created_at: author.time,
            author: Some(author.into()),
            name,
            file,
        })
    };
    brought.into_iter().map(version).collect()
}

/// A commit and the first parents before it, newest first: [`STEP_COMMITS`] and one more.
async fn first_parents(tx: &mut Tx, project: ProjectId, start: CommitHash) -> Result<Vec<CommitHash>> {
    let rows: Vec<CommitHashRow> = Statement::new(include_str!("versions/first_parents.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Binary, _>(start.0.as_slice())
        .bind::<BigInt, _>(STEP_COMMITS + 1)
        .load(tx)
        .await?;
    rows.into_iter().map(|row| decode::commit_hash(&row.oid)).collect()
}

/// The object's name and file in each commit.
async fn states(
    tx: &mut Tx,
    project: ProjectId,
    object: ObjectId,
    commits: &[CommitHash],
) -> Result<Vec<Option<(Name, FileRef)>>> {
    let mut trace = Trace::new(object, commits.iter().copied());
    while let Some(wanted) = trace.wanted()? {
        git_objects::for_each(tx, project, &wanted, |oid, data| trace.supply(oid, &data)).await?;
    }
    let found = trace.found();
    let blobs: BTreeSet<Oid> = found.iter().flatten().copied().collect();
    let mut files: HashMap<Oid, (Name, FileRef)> = HashMap::new();
    let read = |oid, data: Vec<u8>| {
        let state: FileState = serde_json::from_slice(&data).map_err(Error::internal)?;
        files.extend(state.file.map(|file| (oid, (state.name, file))));
        Ok(())
    };
    git_objects::for_each(tx, project, &Vec::from_iter(blobs), read).await?;
    Ok(found.into_iter().map(|oid| files.get(&oid?).cloned()).collect())
}

/// The part of an object on which its versions depend.
#[derive(Deserialize)]
struct FileState {
    name: Name,
    file: Option<FileRef>,
}

#[derive(QueryableByName)]
struct CommitHashRow {
    #[diesel(sql_type = Binary)]
    oid: Vec<u8>,
}
