//! Uncommitted changes of a branch (docs/api.md, section 7). The cost depends on their number, not on the size of the
//! project.

use auth::actor::{ProjectRead, ProjectWrite};
use database::decode;
use database::prelude::*;
use diesel::sql_types::{Array, Bool, Nullable, Text, Uuid as SqlUuid};
use domain::content::object::{CommitHash, DeletedObject, PACKAGE_TYPE, UncommittedChanges};
use domain::content::project::RESERVED_PACKAGES;
use domain::id::ObjectId;
use domain::{Code, Error, Result};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::content::locks;
use crate::resources::content::notifications::{ObjectsChanged, notify};
use crate::resources::content::structure::Structure;
use crate::resources::store::Tx;

/// The state of a branch. It differs after every change of its commit or of its uncommitted changes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct BranchVersion {
    branch: Uuid,
    revision: i64,
}

impl BranchVersion {
    /// The state of the witness' branch.
    pub fn of<P>(project: &Project<P>) -> Self {
        Self { branch: project.branch.id, revision: project.branch.revision }
    }
}

/// The uncommitted changes of the witness' branch.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get(tx: &mut Tx, project: &Project<ProjectRead>) -> Result<UncommittedChanges> {
    let rows: Vec<ChangeRow> = Statement::new(include_str!("changes/list.sql"))
        .bind::<SqlUuid, _>(project.branch.id)
        .load(tx)
        .await?;
    let mut changes = UncommittedChanges {
        has_changes: !rows.is_empty(),
        total_object_changes: u64::try_from(rows.len()).map_err(Error::internal)?,
        added: Vec::new(),
        modified: Vec::new(),
        deleted: Vec::new(),
        deleted_objects: Vec::new(),
        committed_hash: project.branch.head.unwrap_or(CommitHash::ZERO).to_string(),
    };
    for row in rows {
        let id = ObjectId(row.object_id);
        if row.is_added {
            changes.added.push(id);
        } else if row.is_deleted {
            changes.deleted.push(id);
            changes.deleted_objects.push(row.deleted_object()?);
        } else {
            changes.modified.push(id);
        }
    }
    Ok(changes)
}

/// Resets the witness' branch, or some objects of it, to its head; returns the number of discarded changes. The reserved
/// packages of a branch without a commit stay. `condition` is checked on the branch as it was when it was locked.
///
/// # Errors
/// Those of `condition`;
/// `BRANCH_CONFLICT` if an object would lose its parent: the caller has to name both. `NOT_FOUND` if the branch is gone.
pub async fn discard(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    objects: Option<&[ObjectId]>,
    condition: impl FnOnce(&BranchVersion) -> Result<()>,
) -> Result<usize> {
    let branch = locks::lock(tx, project).await?;
    // The lock has raised the revision.
    condition(&BranchVersion { branch: branch.id, revision: branch.revision - 1 })?;
    if let Some(objects) = objects {
        refuse_detached(&mut Structure::load(tx, project.record.id, &branch).await?, objects)?;
    }
    let discarded = Statement::new(include_str!("changes/discard.sql"))
        .bind::<SqlUuid, _>(branch.id)
        .bind::<Nullable<Array<SqlUuid>>, _>(objects.map(|ids| ids.iter().map(|id| id.0).collect::<Vec<_>>()))
        .bind::<Bool, _>(branch.head.is_none())
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Text, _>(PACKAGE_TYPE)
        .bind::<Array<Text>, _>(RESERVED_PACKAGES.as_slice())
        .execute(tx)
        .await?;
    if discarded > 0 {
        notify(tx, project, call, &ObjectsChanged::discarded(discarded)).await?;
    }
    Ok(discarded)
}

/// Refuses to discard changes of objects if any object would then be detached from the tree.
fn refuse_detached(structure: &mut Structure, objects: &[ObjectId]) -> Result<()> {
    for id in objects {
        structure.reset(*id);
    }
    let back = objects.iter().copied().filter(|id| structure.parent(*id).is_some());
    let below = objects.iter().flat_map(|id| structure.children(*id));
    match structure.first_detached(back.chain(below)) {
        None => Ok(()),
        Some(detached) => {
            let message = "An object would be left without the one that it hangs under.";
            let details = json!({ "objectId": detached, "parent": structure.parent(detached) });
            Err(Error::new(Code::BranchConflict, message).with_details(details))
        }
    }
}

#[derive(QueryableByName)]
struct ChangeRow {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Bool)]
    is_added: bool,
    #[diesel(sql_type = Bool)]
    is_deleted: bool,
    #[diesel(sql_type = Nullable<Text>)]
    deleted_name: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    deleted_type: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    deleted_parent: Option<Uuid>,
}

impl ChangeRow {
    fn deleted_object(self) -> Result<DeletedObject> {
        let missing = || Error::internal("a deleted object's committed state is incomplete");
        Ok(DeletedObject {
            object_id: ObjectId(self.object_id),
            name: decode::name(&self.deleted_name.ok_or_else(missing)?)?,
            object_type: self.deleted_type.ok_or_else(missing)?,
            parent_id: ObjectId(self.deleted_parent.ok_or_else(missing)?),
        })
    }
}
