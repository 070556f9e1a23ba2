//! Uploads join a tree: all of what one created or nothing, and at most once, whoever applies it.

use std::collections::{BTreeMap, HashSet};

use auth::actor::{Presented, ProjectWrite};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Binary, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use domain::event::{EventType, NewEvent};
use domain::id::{ObjectId, SessionId, UploadId};
use domain::time::Timestamp;
use domain::upload::{Attached, Attachment, NewFile, ObjectMap};
use domain::{Error, Result};
use serde_json::{Value, json};

use crate::access::project::{Branch, Project};
use crate::call::Call;
use crate::content::locks;
use crate::content::objects::{self, Change};
use crate::failure::failure;
use crate::schema::{applied_uploads, files};
use crate::session_events;
use crate::sessions;
use crate::statement::Statement;
use crate::transaction::Tx;

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

/// Applies the changes of uploads through one session to the witness' branch. One that was applied before is not applied
/// again: the map that it answered then is returned, even if its session has been closed since.
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
    let is_live = sessions::hold_project_and_grant(tx, project, grant).await?;
    let branch = locks::lock_branch(tx, &project.branch).await?;
    let held = Held { session: through.session, is_live, branch, now: call.now };
    let (mut attached, mut events) = (Vec::with_capacity(attachments.len()), Vec::new());
    for attachment in attachments {
        let applied = held.apply(tx, project, attachment).await?;
        attached.push(applied.attached);
        events.extend(applied.event);
    }
    for event in &events {
        session_events::append(tx, through.session, call.now, event).await?;
    }
    Ok(attached)
}

/// What a transaction holds while uploads are applied.
struct Held {
    session: SessionId,
    /// Whether the session is open and the key not revoked.
    is_live: bool,
    branch: Branch,
    now: Timestamp,
}

/// An upload that was applied, and what is to be told of it.
struct Applied {
    attached: Attached,
    event: Option<NewEvent>,
}

impl Held {
    async fn apply(
        &self,
        tx: &mut Tx,
        project: &Project<ProjectWrite>,
        attachment: &Attachment,
    ) -> Result<Applied> {
        if let Some(map) = find_applied(tx, project, attachment.upload).await? {
            let kept = blobs_of(tx, project, &attachment.files).await?;
            return Ok(Applied {
                attached: Attached { map, unneeded_blobs: unneeded(&attachment.files, &kept) },
                event: None,
            });
        }
        if !self.is_live {
            return Err(Error::unauthenticated());
        }
        refuse_strangers(attachment)?;
        refuse_missing_parent(tx, project, &self.branch, attachment.parent).await?;

        let kept = insert_files(tx, project, &attachment.files, self.now).await?;
        let change = Change { branch: self.branch.id, user: project.user, now: self.now };
        objects::add(tx, &change, &attachment.objects).await?;
        let map: ObjectMap = attachment.objects.iter().collect();
        diesel::insert_into(applied_uploads::table)
            .values((
                applied_uploads::id.eq(attachment.upload.0),
                applied_uploads::project_id.eq(project.record.id.0),
                applied_uploads::session_id.eq(self.session.0),
                applied_uploads::objects.eq(serde_json::to_value(&map).map_err(Error::internal)?),
                applied_uploads::applied_at.eq(self.now.0),
            ))
            .execute(tx.connection()?)
            .await
            .map_err(failure)?;
        let named = attachment.objects.iter().take(NAMED_IN_EVENT);
        let data = json!({
            "branch": project.branch.name,
            "uploadId": attachment.upload,
            "addedCount": attachment.objects.len(),
            "added": named.map(|object| object.id).collect::<Vec<_>>(),
        });
        let event = NewEvent { kind: EventType::ObjectsChanged, data };
        Ok(Applied {
            attached: Attached { map, unneeded_blobs: unneeded(&attachment.files, &kept) },
            event: Some(event),
        })
    }
}

/// Checks that an upload's parent is in the tree now, so that one that can't be attached is refused before its bytes
/// are sent. [`apply`] checks again.
///
/// # Errors
/// `NOT_FOUND` where it is not.
pub async fn require_parent(tx: &mut Tx, project: &Project<ProjectWrite>, parent: ObjectId) -> Result<()> {
    refuse_missing_parent(tx, project, &project.branch, parent).await
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
    let map: Option<Value> = applied_uploads::table
        .find(upload.0)
        .filter(applied_uploads::project_id.eq(project.record.id.0))
        .select(applied_uploads::objects)
        .first(tx.connection()?)
        .await
        .optional()
        .map_err(failure)?;
    map.map(serde_json::from_value).transpose().map_err(Error::internal)
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

async fn refuse_missing_parent(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    branch: &Branch,
    parent: ObjectId,
) -> Result<()> {
    let id = project.record.id;
    if parent == id.into() || objects::find(tx, id, branch, parent).await?.is_some() {
        return Ok(());
    }
    Err(Error::not_found())
}

/// Lets the project refer to files' blobs; returns the blobs that it refers to for their bytes, which are earlier ones
/// where it had them already.
async fn insert_files(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    files: &[NewFile],
    now: Timestamp,
) -> Result<HashSet<String>> {
    // Each once, and in one order, in which others that insert the same wait for each other.
    let distinct: BTreeMap<&[u8], &NewFile> =
        files.iter().rev().map(|file| (file.sha256.0.as_slice(), file)).collect();
    let sizes: Result<Vec<i64>, _> = distinct.values().map(|file| i64::try_from(file.size)).collect();
    let keys: Vec<&str> = distinct.values().map(|file| file.blob_key.as_str()).collect();
    let rows: Vec<BlobRow> = Statement::new(include_str!("attachments/insert_files.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Array<Binary>, _>(distinct.keys().copied().collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(sizes.map_err(Error::internal)?)
        .bind::<Array<Text>, _>(keys)
        .bind::<Timestamptz, _>(now.0)
        .load(tx.connection()?)
        .await
        .map_err(failure)?;
    if rows.len() != distinct.len() {
        return Err(Error::internal("a file of an upload has no row"));
    }
    Ok(rows.into_iter().map(|row| row.blob_key).collect())
}

/// The blobs that the project refers to for bytes that it has.
async fn blobs_of(tx: &mut Tx, project: &Project<ProjectWrite>, of: &[NewFile]) -> Result<HashSet<String>> {
    let hashes: Vec<&[u8]> = of.iter().map(|file| file.sha256.0.as_slice()).collect();
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
struct BlobRow {
    #[diesel(sql_type = Text)]
    blob_key: String,
}
