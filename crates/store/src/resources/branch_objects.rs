//! Objects of a branch, as its working changes and its head have them. Reading takes only the paths to those that are
//! asked for.

use std::collections::{HashMap, HashSet};

use database::prelude::*;
use diesel::sql_types::{Array, Jsonb, Nullable, Uuid as SqlUuid};
use domain::content::object::{Object, UNCOMMITTED_MAX_BYTES};
use domain::id::{ObjectId, ProjectId};
use domain::{Error, Result};
use git::{ObjectRecord, Walk};
use serde_json::Value;
use uuid::Uuid;

use crate::access::project::Branch;
use crate::resources::store::Tx;
use crate::resources::{git_objects, uncommitted};

/// An object with the place where it was found.
#[derive(Clone, Debug)]
pub(crate) enum BranchObject {
    /// In the working changes; `None` if they delete it.
    Uncommitted(Option<Object>),
    /// In the head, without a working change.
    Committed(Object),
}

impl BranchObject {
    /// The object; `None` if it is deleted.
    pub(crate) fn object(self) -> Option<Object> {
        match self {
            Self::Uncommitted(object) => object,
            Self::Committed(object) => Some(object),
        }
    }
}

/// An object, with its uncommitted changes. Reads only the path to it.
pub(crate) async fn find(
    tx: &mut Tx,
    project: ProjectId,
    branch: &Branch,
    id: ObjectId,
) -> Result<Option<Object>> {
    let mut found = find_all(tx, project, branch, HashSet::from([id])).await?;
    Ok(found.remove(&id).and_then(BranchObject::object))
}

/// Those of these objects that the branch's working changes or its head hold. Reads only the paths to them.
pub(crate) async fn find_all(
    tx: &mut Tx,
    project: ProjectId,
    branch: &Branch,
    mut ids: HashSet<ObjectId>,
) -> Result<HashMap<ObjectId, BranchObject>> {
    let wanted: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let changed: Vec<WorkingChangeRow> = Statement::new(include_str!("branch_objects/find_changed.sql"))
        .bind::<SqlUuid, _>(branch.id)
        .bind::<Array<SqlUuid>, _>(wanted)
        .load(tx)
        .await?;
    let mut found = HashMap::with_capacity(ids.len());
    for WorkingChangeRow { object_id: id, record } in changed {
        let object = record.map(serde_json::from_value).transpose().map_err(Error::internal)?;
        ids.remove(&ObjectId(id));
        found.insert(ObjectId(id), BranchObject::Uncommitted(object));
    }
    let committed = find_committed(tx, project, branch, ids).await?;
    found.extend(committed.into_iter().map(|(id, object)| (id, BranchObject::Committed(object))));
    Ok(found)
}

/// Those of these objects that the branch's head holds, without regard to working changes.
pub(crate) async fn find_committed(
    tx: &mut Tx,
    project: ProjectId,
    branch: &Branch,
    mut ids: HashSet<ObjectId>,
) -> Result<HashMap<ObjectId, Object>> {
    let mut found = HashMap::with_capacity(ids.len());
    let Some(head) = branch.head else { return Ok(found) };
    let cache = tx.snapshots.clone();
    for id in ids.clone() {
        if let Some(known) = cache.find_object((project, head, id)).await {
            ids.remove(&id);
            found.extend(known.map(|object| (id, object)));
        }
    }
    if ids.is_empty() {
        return Ok(found);
    }
    let mut left = UNCOMMITTED_MAX_BYTES;
    let read = |record: &ObjectRecord| {
        left = left.checked_sub(record.json.len()).ok_or_else(uncommitted::too_large)?;
        record.object()
    };
    for object in git_objects::walk(tx, project, Walk::only(head, ids.iter().copied()), read).await? {
        ids.remove(&object.id);
        cache.keep_object((project, head, object.id), Some(object.clone())).await;
        found.insert(object.id, object);
    }
    for absent in ids {
        cache.keep_object((project, head, absent), None).await;
    }
    Ok(found)
}

#[derive(QueryableByName)]
struct WorkingChangeRow {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Nullable<Jsonb>)]
    record: Option<Value>,
}
