//! Uploads join a tree: all of what one created or nothing, and at most once, whoever applies it.

use std::collections::{BTreeMap, HashMap, HashSet};

use auth::actor::{Presented, PresentedGrant, ProjectWrite};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::event::{EventType, NewEvent};
use domain::id::{ObjectId, OwnerId, ProjectId, SessionId, UploadId};
use domain::project::{BranchName, ProjectRef};
use domain::upload::{Attached, Attachment, NewFile, ObjectMap};
use domain::{Error, Result};
use futures_util::future::{join, join3};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::Target;
use crate::access::project::{Branch, Project};
use crate::call::Call;
use crate::content::objects::{self, Change};
use crate::decode;
use crate::failure::failure;
use crate::schema::files;
use crate::session_events;
use crate::sessions;
use crate::statement::Statement;
use crate::transaction::Tx;
use crate::transaction::connection::Pipeline;

/// Ends a transaction that has attached uploads, and no other.
const COMMIT: &str = "commit work";

/// Objects whose ids an event names, at most: an assembly may have 100,000.
const NAMED_IN_EVENT: usize = 100;

/// Applies the changes of uploads through one session to the session's branch, in as many statements as one takes. One
/// that was applied before is not applied again: the map that it answered then is returned, even if its session has been
/// closed since. Who may do that is found out on the way, and where anything is written the transaction ends with it, so that
/// the whole takes two round trips: nothing can follow in it.
///
/// # Errors
/// `UNAUTHENTICATED` where the grant's session is closed or its key revoked; `NOT_FOUND` where the project is not reached, a
/// parent is not in the tree, or the branch is gone; `FORBIDDEN`.
pub(crate) async fn apply_all(
    tx: &mut Tx,
    at: &ProjectRef,
    call: &Call<ProjectWrite>,
    attachments: &[&Attachment],
) -> Result<Vec<Attached>> {
    let Presented::Grant(grant) = &call.actor.credential else {
        return Err(Error::internal("an upload is attached without a grant"));
    };
    let through =
        grant.session().ok_or_else(|| Error::internal("an upload is attached without a session"))?;
    let parents: Vec<ObjectId> = attachments.iter().map(|attachment| attachment.parent).collect();
    let uploads: Vec<UploadId> = attachments.iter().map(|attachment| attachment.upload).collect();
    let first = tx.pipelined(async |connection| {
        let found = join3(
            at.resolve(connection, call),
            hold(connection, grant, &through.branch),
            look(connection, at.project, &through.branch, &parents, &uploads),
        );
        let (project, held, seen) = found.await;
        Ok((project?, held?, seen?))
    });
    let (mut project, Held { is_live, branch }, mut seen) = first.await?;
    project.branch = branch;
    let project = &project;
    // Whoever applied one of them before, or deleted a parent, has committed that by the time the branch is ours. A connection
    // that has prepared the one statement and not yet the other runs them in the other order, which the revision shows.
    if seen.revision != project.branch.revision {
        seen = look(tx.pipeline().await?, at.project, &through.branch, &parents, &uploads).await?;
    }
    let Seen { changed, applied: mut maps, .. } = seen;
    let (before, new): (Vec<&Attachment>, Vec<&Attachment>) =
        attachments.iter().copied().partition(|attachment| maps.contains_key(&attachment.upload));
    let mut kept = blobs_of(tx, project, &before).await?;
    if !new.is_empty() {
        if !is_live {
            return Err(Error::unauthenticated());
        }
        new.iter().try_for_each(|attachment| refuse_strangers(attachment))?;
        let is_elsewhere = |owner| owner != project.record.owner_id;
        if new.iter().filter_map(|attachment| attachment.owner).any(is_elsewhere) {
            return Err(Error::not_found());
        }
        let parents: Vec<ObjectId> = new.iter().map(|attachment| attachment.parent).collect();
        refuse_missing(tx, project, &changed, &parents).await?;
        maps.extend(new.iter().map(|attachment| (attachment.upload, attachment.objects.iter().collect())));
        let change = Change { branch: project.branch.id, user: project.user, now: call.now };
        let events: Vec<NewEvent> = new.iter().map(|attachment| event(project, attachment)).collect();
        let insertion = insertion(project, through.session, &change, &new, &maps)?;
        let appending = session_events::appending(through.session, call.now, &events)?;
        let written = tx.commit_with(COMMIT, async |connection| {
            let (inserted, told) = join(insertion.run(connection), appending.run(connection)).await;
            // Where the first fails the second is refused, too.
            inserted.and_then(|kept| told.map(|()| kept))
        });
        kept.extend(written.await?);
    }
    let attached = attachments.iter().map(|attachment| {
        let map = maps.get(&attachment.upload).cloned();
        let map = map.ok_or_else(|| Error::internal("an upload was not applied"))?;
        Ok(Attached { map, unneeded_blobs: unneeded(&attachment.files, &kept) })
    });
    attached.collect()
}

/// What a transaction holds that attaches uploads.
struct Held {
    /// Whether the grant's session is open, its execution running, and its key not revoked.
    is_live: bool,
    /// The branch as it is now.
    branch: Branch,
}

/// Keeps the project from being deleted, holds the grant's session, execution and key as they are until the transaction
/// ends, and locks the branch for a change, whose revision it raises: closing the session, ending the execution or revoking
/// the key comes wholly before or wholly after. One statement, which takes them in this order.
async fn hold(mut connection: Pipeline<'_>, grant: &PresentedGrant, branch: &BranchName) -> Result<Held> {
    let held: Option<HeldRow> = Statement::new(include_str!("attachments/hold.sql"))
        .bind::<SqlUuid, _>(grant.project.0)
        .bind::<Nullable<SqlUuid>, _>(grant.session().map(|granted| granted.session.0))
        .bind::<Nullable<SqlUuid>, _>(grant.key.map(|key| key.0))
        .bind::<Nullable<SqlUuid>, _>(sessions::execution(grant)?.map(|execution| execution.0))
        .bind::<Text, _>(branch.as_str())
        .get_result(&mut connection)
        .await
        .optional()
        .map_err(failure)?;
    let HeldRow { is_live, id, head, revision } = held.ok_or_else(Error::not_found)?;
    let head = head.as_deref().map(decode::commit_hash).transpose()?;
    Ok(Held { is_live, branch: Branch { id, name: branch.clone(), head, revision } })
}

/// What uploads have to know of a branch.
struct Seen {
    revision: i64,
    /// Those of their parents that its working changes know, and whether they are there still.
    changed: HashMap<ObjectId, bool>,
    /// What those answered that were applied.
    applied: HashMap<UploadId, ObjectMap>,
}

async fn look(
    mut connection: Pipeline<'_>,
    project: ProjectId,
    branch: &BranchName,
    parents: &[ObjectId],
    uploads: &[UploadId],
) -> Result<Seen> {
    let seen: Option<SeenRow> = Statement::new(include_str!("attachments/look.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Text, _>(branch.as_str())
        .bind::<Array<SqlUuid>, _>(parents.iter().map(|parent| parent.0).collect::<Vec<_>>())
        .bind::<Array<SqlUuid>, _>(uploads.iter().map(|upload| upload.0).collect::<Vec<_>>())
        .get_result(&mut connection)
        .await
        .optional()
        .map_err(failure)?;
    let SeenRow { revision, changed, applied } = seen.ok_or_else(Error::not_found)?;
    let changed = serde_json::from_value(changed).map_err(Error::internal)?;
    let applied = serde_json::from_value(applied).map_err(Error::internal)?;
    Ok(Seen { revision, changed, applied })
}

/// What is told of an upload that was applied.
fn event(project: &Project<ProjectWrite>, attachment: &Attachment) -> NewEvent {
    let named = attachment.objects.iter().take(NAMED_IN_EVENT);
    let data = json!({
        "branch": project.branch.name,
        "uploadId": attachment.upload,
        "addedCount": attachment.objects.len(),
        "added": named.map(|object| object.id).collect::<Vec<_>>(),
    });
    NewEvent { kind: EventType::ObjectsChanged, data }
}

/// Checks that an upload's parent is in the tree now, so that one that can't be attached is refused before its bytes
/// are sent. Attaching checks again.
///
/// # Errors
/// `NOT_FOUND` where it is not.
pub async fn require_parent(tx: &mut Tx, project: &Project<ProjectWrite>, parent: ObjectId) -> Result<()> {
    let id = project.record.id;
    let is_there = parent == id.into() || objects::find(tx, id, &project.branch, parent).await?.is_some();
    if is_there { Ok(()) } else { Err(Error::not_found()) }
}

/// Where an upload is to be attached, as its request names it.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The project and the branch.
    pub project: &'a ProjectRef,
    /// Whose project that has to be.
    pub owner: OwnerId,
    /// The object that it goes under.
    pub parent: ObjectId,
}

/// What an upload answered when it was applied. Where it was not, as where there is none, checks what [`require_parent`]
/// checks.
///
/// # Errors
/// `NOT_FOUND` where the project is not reached, is not the owner's, or does not have the parent in its tree; `FORBIDDEN`.
pub(crate) async fn find_applied(
    tx: &mut Tx,
    place: &Place<'_>,
    call: &Call<ProjectWrite>,
    upload: Option<UploadId>,
) -> Result<Option<ObjectMap>> {
    let Place { project: at, owner, parent } = *place;
    let branch = at.branch.as_ref().ok_or_else(|| Error::internal("an upload goes to no branch"))?;
    let (parents, uploads) = ([parent], Vec::from_iter(upload));
    let first = tx.pipelined(async |connection| {
        let looked = look(connection, at.project, branch, &parents, &uploads);
        let (project, seen) = join(at.resolve(connection, call), looked).await;
        Ok((project?, seen?))
    });
    let (project, Seen { changed, mut applied, .. }) = first.await?;
    if project.record.owner_id != owner {
        return Err(Error::not_found());
    }
    if let Some(answered) = upload.and_then(|upload| applied.remove(&upload)) {
        return Ok(Some(answered));
    }
    refuse_missing(tx, &project, &changed, &parents).await.map(|()| None)
}

/// Whoever made the attachment sees to this; a tree with a hole in it can't be read any more.
fn refuse_strangers(attachment: &Attachment) -> Result<()> {
    let mut known = HashSet::from([attachment.parent]);
    let hang = attachment.objects.iter().all(|object| {
        let hangs = known.contains(&object.parent);
        known.insert(object.id) && hangs
    });
    if attachment.objects.is_empty() || !hang {
        return Err(Error::internal("an upload's objects do not hang under the object it names"));
    }
    Ok(())
}

/// Refuses where one of `parents` is not in the tree. `changed` are those that the working changes know, and whether they are
/// there still.
async fn refuse_missing(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    changed: &HashMap<ObjectId, bool>,
    parents: &[ObjectId],
) -> Result<()> {
    let id = project.record.id;
    let is_known = |parent: &&ObjectId| **parent == id.into() || changed.get(parent) == Some(&true);
    let others: HashSet<ObjectId> = parents.iter().filter(|parent| !is_known(parent)).copied().collect();
    if others.iter().any(|parent| changed.contains_key(parent)) {
        return Err(Error::not_found());
    }
    let committed = match others.is_empty() {
        true => 0,
        false => objects::find_committed(tx, id, &project.branch, others.clone()).await?.len(),
    };
    if committed == others.len() { Ok(()) } else { Err(Error::not_found()) }
}

/// What uploads create, about to be written.
struct Insertion<'a> {
    statement: Statement<'a>,
    /// How many files there are.
    expected: usize,
}

/// What writes what uploads create, whose answers `maps` has.
fn insertion<'a>(
    project: &Project<ProjectWrite>,
    session: SessionId,
    change: &Change,
    attachments: &[&'a Attachment],
    maps: &HashMap<UploadId, ObjectMap>,
) -> Result<Insertion<'a>> {
    let files = || attachments.iter().flat_map(|attachment| &attachment.files);
    // Each once, and in one order, in which others that insert the same wait for each other.
    let all: Vec<&NewFile> = files().collect();
    let distinct: BTreeMap<&[u8], &NewFile> =
        all.into_iter().rev().map(|file| (file.sha256.0.as_slice(), file)).collect();
    let sizes: Result<Vec<i64>, _> = distinct.values().map(|file| i64::try_from(file.size)).collect();
    let keys: Vec<&str> = distinct.values().map(|file| file.blob_key.as_str()).collect();
    let objects = || attachments.iter().flat_map(|attachment| &attachment.objects);
    let records: Result<Vec<Value>, _> = objects().map(serde_json::to_value).collect();
    let answers: Result<Vec<Value>, _> =
        attachments.iter().map(|attachment| serde_json::to_value(maps.get(&attachment.upload))).collect();
    let statement = Statement::new(include_str!("attachments/apply.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<SqlUuid, _>(session.0)
        .bind::<Timestamptz, _>(change.now.0)
        .bind::<Array<Binary>, _>(distinct.keys().copied().collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(sizes.map_err(Error::internal)?)
        .bind::<Array<Text>, _>(keys)
        .bind::<SqlUuid, _>(change.branch)
        .bind::<Array<SqlUuid>, _>(objects().map(|object| object.id.0).collect::<Vec<_>>())
        .bind::<Array<Jsonb>, _>(records.map_err(Error::internal)?)
        .bind::<SqlUuid, _>(change.user.0)
        .bind::<Array<SqlUuid>, _>(attachments.iter().map(|one| one.upload.0).collect::<Vec<_>>())
        .bind::<Array<Jsonb>, _>(answers.map_err(Error::internal)?);
    Ok(Insertion { statement, expected: distinct.len() })
}

impl Insertion<'_> {
    /// Writes them. Returns the blobs that the project refers to for the files' bytes, which are earlier ones where it had them
    /// already.
    async fn run(self, mut connection: Pipeline<'_>) -> Result<HashSet<String>> {
        let rows: Vec<BlobRow> = self.statement.load(&mut connection).await.map_err(failure)?;
        if rows.len() != self.expected {
            return Err(Error::internal("a file of an upload has no row"));
        }
        Ok(rows.into_iter().map(|row| row.blob_key).collect())
    }
}

/// The blobs that the project refers to for bytes that it has.
async fn blobs_of(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    of: &[&Attachment],
) -> Result<HashSet<String>> {
    if of.is_empty() {
        return Ok(HashSet::new());
    }
    let files = of.iter().flat_map(|attachment| &attachment.files);
    let hashes: Vec<&[u8]> = files.map(|file| file.sha256.0.as_slice()).collect();
    let keys: Vec<String> = files::table
        .filter(files::project_id.eq(project.record.id.0).and(files::sha256.eq_any(hashes)))
        .select(files::blob_key)
        .load(tx.connection()?)
        .await
        .map_err(failure)?;
    Ok(keys.into_iter().collect())
}

fn unneeded(files: &[NewFile], kept: &HashSet<String>) -> Vec<String> {
    files.iter().map(|file| &file.blob_key).filter(|key| !kept.contains(*key)).cloned().collect()
}

#[derive(QueryableByName)]
struct HeldRow {
    #[diesel(sql_type = Bool)]
    is_live: bool,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<Binary>)]
    head: Option<Vec<u8>>,
    #[diesel(sql_type = BigInt)]
    revision: i64,
}

#[derive(QueryableByName)]
struct SeenRow {
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = Jsonb)]
    changed: Value,
    #[diesel(sql_type = Jsonb)]
    applied: Value,
}

#[derive(QueryableByName)]
struct BlobRow {
    #[diesel(sql_type = Text)]
    blob_key: String,
}
