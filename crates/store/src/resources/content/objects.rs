//! Objects of a branch. They are read from its working changes and its head, and written to its working changes.

pub(crate) mod draft;
pub mod listing;

use std::collections::HashSet;

use auth::actor::{ProjectRead, ProjectWrite};
use database::prelude::*;
use diesel::sql_types::{Array, Jsonb, Timestamptz, Uuid as SqlUuid};
use domain::content::edit::Edit;
use domain::content::object::{Object, TreeNode};
use domain::id::{ObjectId, UserId};
use domain::planning::custom_field::ObjectDefaults;
use domain::time::Timestamp;
use domain::{Error, Result};
use git::NewGitObject;
use serde_json::Value;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::branch_objects::{find, find_committed};
use crate::resources::content::objects::draft::BranchDraft;
use crate::resources::content::{locks, notifications, tree};
use crate::resources::planning::custom_fields;
use crate::resources::store::Tx;
use crate::resources::uncommitted;

/// Most objects that one statement adds. An assembly may have 100,000.
const ADD_OBJECTS: usize = 4_096;

/// Most owners of files with one name that an answer lists.
const OWNERS_MAX: usize = 20;

/// The result of edits, in their order.
#[derive(Clone, Debug)]
pub struct EditResult {
    /// Each edit's object; `None` if it is deleted.
    pub objects: Vec<Option<Object>>,
    /// The number of objects that each edit created, changed or deleted.
    pub counts: Vec<usize>,
}

/// The strong ETag of an object: the Git id of its file.
///
/// # Errors
/// `INTERNAL_ERROR` if it can't be encoded.
pub fn etag(object: &Object) -> Result<String> {
    Ok(NewGitObject::blob(git::record::canonical(object)?)?.oid.to_string())
}

/// An object, with its uncommitted changes.
///
/// # Errors
/// `NOT_FOUND` if the branch does not hold it. The project object is not part of its tree.
pub async fn get(tx: &mut Tx, project: &Project<ProjectRead>, id: ObjectId) -> Result<Object> {
    find(tx, project.record.id, &project.branch, id).await?.ok_or_else(Error::not_found)
}

/// An object as the branch's last commit has it.
///
/// # Errors
/// `NOT_FOUND` if that commit does not hold it.
pub async fn get_committed(tx: &mut Tx, project: &Project<ProjectRead>, id: ObjectId) -> Result<Object> {
    let mut found = find_committed(tx, project.record.id, &project.branch, HashSet::from([id])).await?;
    found.remove(&id).ok_or_else(Error::not_found)
}

/// The objects that own a file of this name, in any case of letters, in the order of the tree; at most 20.
///
/// # Errors
/// `UNAVAILABLE`; `INTERNAL_ERROR` if the content is corrupt.
pub async fn owners_of_file(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    name: &str,
) -> Result<Vec<ObjectId>> {
    let snapshot = tree::snapshot(tx, project.record.id, &project.branch).await?;
    let name = name.to_lowercase();
    let has_name = |node: &&TreeNode| {
        let file = node.file.as_ref().map(|file| file.name.as_ref().unwrap_or(&node.name));
        file.is_some_and(|file| file.as_str().to_lowercase() == name)
    };
    Ok(snapshot.tree.tree.iter().filter(has_name).map(|node| node.id).take(OWNERS_MAX).collect())
}

/// Applies edits to the witness' branch, in their order: all of them or none.
///
/// # Errors
/// `NOT_FOUND` if the branch is gone, or the object of a request's only edit; `INVALID_REQUEST` if an object of several edits
/// or a parent is missing, an object would be its own ancestor, or its data breaks a rule; `PRECONDITION_FAILED`;
/// `RESERVED_OBJECT`.
pub async fn edit(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    edits: &[Edit],
) -> Result<EditResult> {
    let branch = locks::lock(tx, project).await?;
    let change = ChangeContext { branch: branch.id, user: project.user, now: call.now };
    let fields = match edits.iter().any(Edit::writes_data) {
        true => custom_fields::of_objects(tx, project.record.id).await?,
        false => Vec::new(),
    };
    let mut draft = BranchDraft::load(tx, (project.record.id, branch), fields, edits).await?;
    let mut counts = Vec::with_capacity(edits.len());
    for edit in edits {
        counts.push(draft.apply(edit)?);
    }
    let objects = edits.iter().map(|edit| draft.object(edit.object).cloned()).collect();
    draft.save(tx, &change).await?;
    notifications::notify_of_edits(tx, project, call, edits, &counts).await?;
    Ok(EditResult { objects, counts })
}

/// The branch, user and time of a change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChangeContext {
    pub(crate) branch: Uuid,
    pub(crate) user: UserId,
    pub(crate) now: Timestamp,
}

/// Adds objects whose ids are new on the branch, with the defaults of custom fields.
pub(crate) async fn add(
    tx: &mut Tx,
    change: &ChangeContext,
    objects: &[Object],
    defaults: &ObjectDefaults,
) -> Result<()> {
    for slice in objects.chunks(ADD_OBJECTS) {
        let ids: Vec<Uuid> = slice.iter().map(|object| object.id.0).collect();
        let records: Result<Vec<Value>, _> =
            slice.iter().map(|object| serde_json::to_value(defaults.given(object))).collect();
        Statement::new(include_str!("objects/add.sql"))
            .bind::<SqlUuid, _>(change.branch)
            .bind::<Array<SqlUuid>, _>(ids)
            .bind::<Array<Jsonb>, _>(records.map_err(Error::internal)?)
            .bind::<SqlUuid, _>(change.user.0)
            .bind::<Timestamptz, _>(change.now.0)
            .execute(tx)
            .await
            .map_err(uncommitted::failure)?;
    }
    Ok(())
}
