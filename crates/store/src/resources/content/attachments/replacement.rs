//! The replacement of an object's file by an upload. It reads what the old file became, and so has a transaction of its
//! own.

use database::prelude::*;
use database::schema::{applied_uploads, deferred_conversions};
use domain::content::object::{FileRef, Object};
use domain::content::upload::{Attached, Attachment, ObjectMap, Replacement};
use domain::{Error, Result};

use super::branches::{LockedBranch, lock, read_states};
use super::{AttachmentGroup, blobs_of, refuse_detached};
use crate::resources::content::file_objects::{self, check_replaceable};
use crate::resources::content::locks;
use crate::resources::content::notifications::publish;
use crate::resources::content::objects::ChangeContext;
use crate::resources::store::Tx;
use crate::resources::stored_files;
use crate::resources::work::session_events;

/// Applies the only upload of a group, which replaces a file, unless it was applied before. Waits for locks.
///
/// # Errors
/// As [`super::apply`]; `PRECONDITION_FAILED`, `FILE_NOT_REPLACEABLE`, `BRANCH_CONFLICT`.
pub(crate) async fn apply(
    tx: &mut Tx,
    group: &AttachmentGroup<'_>,
    attachment: &Attachment,
    replacement: &Replacement,
) -> Result<Attached> {
    let LockedBranch { project, is_live } = lock(tx, group).await?;
    let mut states = read_states(tx, &[group.branch_query()]).await?;
    let mut state = states.pop().flatten().ok_or_else(Error::not_found)?;
    let id = project.record.id;
    if let Some(map) = state.applied.remove(&attachment.upload) {
        let kept = blobs_of(tx, &project, &[attachment]).await?;
        return Ok(super::attached(attachment, map, |key| kept.contains(key)));
    }
    if !is_live {
        return Err(Error::unauthenticated());
    }
    refuse_detached(attachment)?;
    if attachment.owner.is_some_and(|owner| owner != project.record.owner_id) {
        return Err(Error::not_found());
    }
    let (owner, file) = new_owner(attachment)?;
    let objects = file_objects::load(tx, id, &project.branch, owner.id).await?;
    let objects = objects.ok_or_else(Error::not_found)?;
    check_replaceable(&objects.owner.now, replacement.expected.as_ref())?;
    let replaced =
        if objects.has(file) { objects.unchanged() } else { objects.replace(&attachment.objects)? };
    let session = group.through.session;
    let now = group.call.now;
    let mut released = Vec::new();
    if !replaced.is_unchanged() {
        let branch = locks::lock_branch(tx, &project.branch).await?;
        let change = ChangeContext { branch: branch.id, user: project.user, now };
        stored_files::insert(tx, id, &attachment.files, now).await?;
        defer(tx, &change, group, attachment, (owner, file)).await?;
        released = file_objects::write(&replaced, tx, id, &change).await?;
    }
    let mut map: ObjectMap = replaced.objects.iter().collect();
    map.replaced = Some(replaced.summary(owner.id)?);
    record(tx, attachment, group, &map).await?;
    let kept = blobs_of(tx, &project, &[attachment]).await?;
    if !replaced.is_unchanged() {
        let event = file_objects::event(&replaced, Some(attachment.upload)).event(&project.branch.name);
        publish(tx, &group.call, id, &event)?;
        session_events::append(tx, session, now, &event).await?;
    }
    let mut attached = super::attached(attachment, map, |key| kept.contains(key));
    attached.unneeded_blobs.extend(released);
    Ok(attached)
}

/// The first object of an upload, which owns the file.
fn new_owner(attachment: &Attachment) -> Result<(&Object, &FileRef)> {
    let owner = attachment.objects.as_slice().first();
    let owner = owner.and_then(|owner| Some((owner, owner.file.as_ref()?)));
    owner.ok_or_else(|| Error::internal("an upload has no object that owns its file"))
}

/// Registers the upload, so that it is applied once.
async fn record(
    tx: &mut Tx,
    attachment: &Attachment,
    group: &AttachmentGroup<'_>,
    map: &ObjectMap,
) -> Result<()> {
    let map = serde_json::to_value(map).map_err(Error::internal)?;
    diesel::insert_into(applied_uploads::table)
        .values((
            applied_uploads::id.eq(attachment.upload.0),
            applied_uploads::project_id.eq(group.grant.project.0),
            applied_uploads::session_id.eq(group.through.session.0),
            applied_uploads::objects.eq(map),
            applied_uploads::applied_at.eq(group.call.now.0),
        ))
        .execute(tx)
        .await?;
    Ok(())
}

/// Forgets that the old file is still to be converted, and notes it of the new one if that is so.
async fn defer(
    tx: &mut Tx,
    change: &ChangeContext,
    group: &AttachmentGroup<'_>,
    attachment: &Attachment,
    (owner, file): (&Object, &FileRef),
) -> Result<()> {
    diesel::delete(deferred_conversions::table.find((change.branch, owner.id.0))).execute(tx).await?;
    if !owner.is_conversion_pending() {
        return Ok(());
    }
    diesel::insert_into(deferred_conversions::table)
        .values((
            deferred_conversions::branch_id.eq(change.branch),
            deferred_conversions::object_id.eq(owner.id.0),
            deferred_conversions::project_id.eq(group.grant.project.0),
            deferred_conversions::session_id.eq(group.through.session.0),
            deferred_conversions::user_id.eq(change.user.0),
            deferred_conversions::upload_id.eq(attachment.upload.0),
            deferred_conversions::name.eq(file.name.as_ref().unwrap_or(&owner.name).as_str()),
            deferred_conversions::sha256.eq(file.sha256.0.as_slice()),
            deferred_conversions::created_at.eq(change.now.0),
        ))
        .execute(tx)
        .await?;
    Ok(())
}
