//! The objects of a file on a branch: loading them, and writing those that replace them.

use std::borrow::Cow;
use std::collections::HashSet;

use domain::content::edit::IfMatch;
use domain::content::object::{FileRef, Object};
use domain::content::replacement::{FileObjects, ReplacedObjects, StoredObject};
use domain::id::{ObjectId, ProjectId, UploadId};
use domain::{Code, Error, Result};
use serde_json::json;

use crate::access::project::Branch;
use crate::resources::branch_objects::{self, BranchObject};
use crate::resources::content::notifications::ObjectsChanged;
use crate::resources::content::objects::draft::{self, NewState, WRITE_OBJECTS};
use crate::resources::content::objects::{self, ChangeContext};
use crate::resources::content::structure::Structure;
use crate::resources::planning::custom_fields;
use crate::resources::store::Tx;
use crate::resources::stored_files;

/// Loads the objects of the file that `owner` owns; `None` if it is not in the tree. Costs what it loads, and one round
/// trip for each level of parts.
pub(crate) async fn load(
    tx: &mut Tx,
    project: ProjectId,
    branch: &Branch,
    owner: ObjectId,
) -> Result<Option<FileObjects>> {
    let mut found = branch_objects::find_all(tx, project, branch, HashSet::from([owner])).await?;
    let Some(owner) = found.remove(&owner).and_then(stored) else { return Ok(None) };
    let structure = Structure::load(tx, project, branch).await?;
    let (mut parts, mut others) = (Vec::new(), Vec::new());
    let mut level = vec![owner.now.id];
    while !level.is_empty() {
        let mut ids: Vec<ObjectId> = level.iter().flat_map(|parent| structure.children(*parent)).collect();
        ids.sort_unstable();
        let mut found = branch_objects::find_all(tx, project, branch, ids.iter().copied().collect()).await?;
        level.clear();
        for object in ids.iter().filter_map(|id| found.remove(id)).filter_map(stored) {
            if object.now.is_converted_part() {
                level.push(object.now.id);
                parts.push(object);
            } else {
                others.push(object);
            }
        }
    }
    Ok(Some(FileObjects { owner, parts, others }))
}

/// Checks that the file of an object may be replaced, and that the object is as `expected` says: by its entity tag, or by
/// the SHA-256 of its file.
///
/// # Errors
/// `PRECONDITION_FAILED`, `FILE_NOT_REPLACEABLE`.
pub(crate) fn check_replaceable(object: &Object, expected: Option<&IfMatch>) -> Result<()> {
    if let Some(expected) = expected {
        let etag = objects::etag(object)?;
        let has_file = |file: &FileRef| expected.holds(&file.sha256.to_string());
        if !expected.holds(&etag) && !object.file.as_ref().is_some_and(has_file) {
            let sha256 = object.file.as_ref().map(|file| file.sha256);
            let details = json!({ "objectId": object.id, "etag": format!("\"{etag}\""), "sha256": sha256 });
            return Err(Error::new(Code::PreconditionFailed, "The object is not as `If-Match` expects it.")
                .with_details(details));
        }
    }
    let refuse = |reason: &str, message: &'static str| {
        let details = json!({ "objectId": object.id, "reason": reason });
        Err(Error::new(Code::FileNotReplaceable, message).with_details(details))
    };
    match &object.file {
        None => refuse("no_file", "The object owns no file."),
        Some(_) if object.is_converted_part() => {
            refuse("converted_image", "The image was made of a document: replace the document's file.")
        }
        Some(_) => Ok(()),
    }
}

/// `None` for a deleted object.
fn stored(found: BranchObject) -> Option<StoredObject> {
    match found {
        BranchObject::Uncommitted(now) => now.map(|now| StoredObject { now, head: None }),
        BranchObject::Committed(now) => Some(StoredObject { head: Some(now.clone()), now }),
    }
}

/// Writes the changes to the locked branch, and forgets replaced files that nothing refers to any more. Returns the blobs of
/// these. Objects that are new, or get another type, have the defaults of custom fields.
pub(crate) async fn write(
    replaced: &ReplacedObjects,
    tx: &mut Tx,
    project: ProjectId,
    change: &ChangeContext,
) -> Result<Vec<String>> {
    let defaults = custom_fields::object_defaults(tx, project).await?;
    let changed = replaced.changed.iter().map(|(old, now)| (old, Some(now)));
    let states: Vec<_> = changed.chain(replaced.deleted.iter().map(|old| (old, None))).collect();
    let json = |object: &Object| serde_json::to_value(object).map_err(Error::internal);
    for slice in states.chunks(WRITE_OBJECTS) {
        let state = |(old, now): &(&StoredObject, Option<&Object>)| {
            let given = now.map(|now| match now.object_type == old.now.object_type {
                true => Cow::Borrowed(now),
                false => defaults.given(now),
            });
            Ok(NewState {
                object: old.now.id,
                record: given.as_deref().map(json).transpose()?,
                head: old.head.as_ref().map(json).transpose()?,
            })
        };
        draft::write(tx, change, slice.iter().map(state).collect::<Result<_>>()?).await?;
    }
    objects::add(tx, change, &replaced.added, &defaults).await?;
    stored_files::release(tx, project, &replaced.replaced_files()).await
}

/// The data of the event that tells of the changes.
pub(crate) fn event(replaced: &ReplacedObjects, upload: Option<UploadId>) -> ObjectsChanged {
    let ids = |objects: &mut dyn Iterator<Item = ObjectId>| objects.collect::<Vec<_>>();
    let mut event = ObjectsChanged::default();
    for (kind, objects) in [
        ("added", ids(&mut replaced.added.iter().map(|object| object.id))),
        ("changed", ids(&mut replaced.changed.iter().map(|(old, _)| old.now.id))),
        ("deleted", ids(&mut replaced.deleted.iter().map(|old| old.now.id))),
    ] {
        event.add(kind, objects.len(), &objects);
    }
    event.of_upload(upload)
}
