//! Uploads join a tree: all of what one created or nothing, and at most once, whoever applies it.

use std::collections::{BTreeMap, HashMap, HashSet};

use auth::actor::{Presented, PresentedGrant, ProjectWrite};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::event::{EventType, NewEvent};
use domain::id::{ObjectId, SessionId, UploadId};
use domain::upload::{Attached, Attachment, NewFile, ObjectMap};
use domain::{Error, Result};
use futures_util::future::join;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::project::{Branch, Project};
use crate::call::Call;
use crate::content::objects::{self, Change, Found};
use crate::decode;
use crate::failure::failure;
use crate::schema::{applied_uploads, files};
use crate::session_events;
use crate::sessions;
use crate::statement::Statement;
use crate::transaction::Tx;
use crate::transaction::connection::Pipeline;

/// Objects whose ids an event names, at most: an assembly may have 100,000.
const NAMED_IN_EVENT: usize = 100;

/// Applies an upload's change to the witness' branch, as [`apply_all`] does.
///
/// # Errors
/// Those of [`apply_all`].
pub async fn apply(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    attachment: &Attachment,
) -> Result<Attached> {
    let attached = apply_all(tx, project, call, &[attachment]).await?.pop();
    attached.ok_or_else(|| Error::internal("an upload was not applied"))
}

/// Applies the changes of uploads through one session to the witness' branch, in as many statements as one takes. One
/// that was applied before is not applied again: the map that it answered then is returned, even if its session has been
/// closed since.
///
/// # Errors
/// `UNAUTHENTICATED` where the grant's session is closed or its key revoked; `NOT_FOUND` where a parent is not in
/// the tree, or the branch is gone.
pub async fn apply_all(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    attachments: &[&Attachment],
) -> Result<Vec<Attached>> {
    let Presented::Grant(grant) = &call.actor.credential else {
        return Err(Error::internal("an upload is attached without a grant"));
    };
    let through =
        grant.session().ok_or_else(|| Error::internal("an upload is attached without a session"))?;
    let ids = attachments.iter().map(|attachment| attachment.upload);
    let pipeline = tx.pipeline().await?;
    // In this order: whoever applied one of them before has committed that by the time the branch is ours.
    let (held, applied) =
        join(hold(pipeline, project, grant), find_all_applied(pipeline, project, ids.collect())).await;
    let (Held { is_live, branch }, mut maps) = (held?, applied?);
    let (before, new): (Vec<&Attachment>, Vec<&Attachment>) =
        attachments.iter().copied().partition(|attachment| maps.contains_key(&attachment.upload));
    let mut kept = blobs_of(tx, project, &before).await?;
    if !new.is_empty() {
        if !is_live {
            return Err(Error::unauthenticated());
        }
        new.iter().try_for_each(|attachment| refuse_strangers(attachment))?;
        refuse_missing_parents(tx, project, &branch, new.iter().map(|attachment| attachment.parent)).await?;
        maps.extend(new.iter().map(|attachment| (attachment.upload, attachment.objects.iter().collect())));
        let change = Change { branch: branch.id, user: project.user, now: call.now };
        let events: Vec<NewEvent> = new.iter().map(|attachment| event(project, attachment)).collect();
        let pipeline = tx.pipeline().await?;
        let (inserted, told) = join(
            insert(pipeline, project, through.session, &change, &new, &maps),
            session_events::append_all(pipeline, through.session, call.now, &events),
        )
        .await;
        kept.extend(inserted?);
        told?;
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
async fn hold(
    mut connection: Pipeline<'_>,
    project: &Project<ProjectWrite>,
    grant: &PresentedGrant,
) -> Result<Held> {
    let held: Option<HeldRow> = Statement::new(include_str!("attachments/hold.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Nullable<SqlUuid>, _>(grant.session().map(|granted| granted.session.0))
        .bind::<Nullable<SqlUuid>, _>(grant.key.map(|key| key.0))
        .bind::<Nullable<SqlUuid>, _>(sessions::execution(grant)?.map(|execution| execution.0))
        .bind::<SqlUuid, _>(project.branch.id)
        .get_result(&mut connection)
        .await
        .optional()
        .map_err(failure)?;
    let HeldRow { is_live, head, revision } = held.ok_or_else(Error::not_found)?;
    let head = head.as_deref().map(decode::commit_hash).transpose()?;
    Ok(Held { is_live, branch: Branch { head, revision, ..project.branch.clone() } })
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
/// are sent. [`apply`] checks again.
///
/// # Errors
/// `NOT_FOUND` where it is not.
pub async fn require_parent(tx: &mut Tx, project: &Project<ProjectWrite>, parent: ObjectId) -> Result<()> {
    refuse_missing_parents(tx, project, &project.branch, [parent]).await
}

/// What an upload answered when it was applied; `None` where it was not.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn find_applied(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    upload: UploadId,
) -> Result<Option<ObjectMap>> {
    Ok(find_all_applied(tx.pipeline().await?, project, vec![upload]).await?.remove(&upload))
}

/// What those of these uploads answered that were applied.
async fn find_all_applied(
    mut connection: Pipeline<'_>,
    project: &Project<ProjectWrite>,
    uploads: Vec<UploadId>,
) -> Result<HashMap<UploadId, ObjectMap>> {
    let ids: Vec<Uuid> = uploads.into_iter().map(|upload| upload.0).collect();
    let found: Vec<(Uuid, Value)> = applied_uploads::table
        .filter(applied_uploads::id.eq_any(ids).and(applied_uploads::project_id.eq(project.record.id.0)))
        .select((applied_uploads::id, applied_uploads::objects))
        .load(&mut connection)
        .await
        .map_err(failure)?;
    let map = |(id, map)| Ok((UploadId(id), serde_json::from_value(map).map_err(Error::internal)?));
    found.into_iter().map(map).collect()
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

async fn refuse_missing_parents(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    branch: &Branch,
    parents: impl IntoIterator<Item = ObjectId>,
) -> Result<()> {
    let id = project.record.id;
    let parents: HashSet<ObjectId> = parents.into_iter().filter(|parent| *parent != id.into()).collect();
    if parents.is_empty() {
        return Ok(());
    }
    let mut found = objects::find_all(tx, id, branch, parents.clone()).await?;
    let is_there = |parent: &ObjectId| found.remove(parent).and_then(Found::now).is_some();
    if parents.iter().all(is_there) { Ok(()) } else { Err(Error::not_found()) }
}

/// Writes what uploads create, whose answers `maps` has. Returns the blobs that the project refers to for the files'
/// bytes, which are earlier ones where it had them already.
async fn insert(
    mut connection: Pipeline<'_>,
    project: &Project<ProjectWrite>,
    session: SessionId,
    change: &Change,
    attachments: &[&Attachment],
    maps: &HashMap<UploadId, ObjectMap>,
) -> Result<HashSet<String>> {
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
    let rows: Vec<BlobRow> = Statement::new(include_str!("attachments/apply.sql"))
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
        .bind::<Array<Jsonb>, _>(answers.map_err(Error::internal)?)
        .load(&mut connection)
        .await
        .map_err(failure)?;
    if rows.len() != distinct.len() {
        return Err(Error::internal("a file of an upload has no row"));
    }
    Ok(rows.into_iter().map(|row| row.blob_key).collect())
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
    #[diesel(sql_type = Nullable<Binary>)]
    head: Option<Vec<u8>>,
    #[diesel(sql_type = BigInt)]
    revision: i64,
}

#[derive(QueryableByName)]
struct BlobRow {
    #[diesel(sql_type = Text)]
    blob_key: String,
}
