//! Folders for uploads, found by their names or made, in one transaction under the branch's lock.

use std::collections::{BTreeSet, HashMap, HashSet};

use auth::actor::ProjectWrite;
use database::prelude::*;
use diesel::sql_types::{Array, Text, Uuid as SqlUuid};
use domain::content::file_path::FolderPath;
use domain::content::object::{FOLDER_TYPE, Object};
use domain::event::{EventType, NewEvent};
use domain::id::ObjectId;
use domain::text::Name;
use domain::{Error, Result};
use serde_json::{Map, json};
use uuid::Uuid;

use super::branches::{LockedBranch, lock};
use super::{AttachmentGroup, NAMED_IN_EVENT, require_parent};
use crate::access::project::Project;
use crate::resources::branch_objects::{self, BranchObject};
use crate::resources::content::notifications::publish;
use crate::resources::content::objects::{self, ChangeContext};
use crate::resources::content::{locks, tree};
use crate::resources::planning::custom_fields;
use crate::resources::store::Tx;
use crate::resources::work::session_events;

/// The folders of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folders {
    /// Each wanted folder, and those above.
    pub ids: HashMap<FolderPath, ObjectId>,
    /// Number of the folders that were made.
    pub made: usize,
}

/// Objects that may hold files, by parent and name.
type Holders = HashMap<(ObjectId, Name), ObjectId>;

/// Finds the `wanted` folders below `parent`, and makes those that are missing. Two calls at once make each folder once.
///
/// # Errors
/// `UNAUTHENTICATED` if the grant's session is closed or its key revoked; `NOT_FOUND` if the project is not reachable, the
/// parent is not in the tree, or the branch is gone; `FORBIDDEN`; `BRANCH_CONFLICT` if the branch would hold too much.
pub(crate) async fn make(
    tx: &mut Tx,
    group: &AttachmentGroup<'_>,
    parent: ObjectId,
    wanted: &BTreeSet<FolderPath>,
) -> Result<Folders> {
    let LockedBranch { project, is_live } = lock(tx, group).await?;
    if !is_live {
        return Err(Error::unauthenticated());
    }
    require_parent(tx, &project, parent).await?;
    let names: HashSet<&Name> = wanted.iter().flat_map(FolderPath::names).collect();
    let mut holders = holders(tx, &project, &names, parent).await?;
    // Siblings are ordered by id, which has to be the order of their paths.
    let now = group.call.now;
    let mut new_ids: Vec<ObjectId> =
        wanted.iter().flat_map(FolderPath::names).map(|_| ObjectId::new(now)).collect();
    new_ids.sort_unstable();
    let mut new_ids = new_ids.into_iter();
    let mut folders = Folders::default();
    let mut made = Vec::new();
    for path in wanted {
        let mut at = parent;
        for path in path.with_ancestors() {
            let Some(name) = path.names().last() else { continue };
            let known = holders.get(&(at, name.clone())).copied();
            let id = match known.or_else(|| new_ids.next()) {
                Some(id) => id,
                None => return Err(Error::internal("a folder has no id")),
            };
            if known.is_none() {
                holders.insert((at, name.clone()), id);
                made.push(folder(id, name.clone(), at));
            }
            folders.ids.insert(path, id);
            at = id;
        }
    }
    folders.made = made.len();
    if made.is_empty() {
        return Ok(folders);
    }
    let branch = locks::lock_branch(tx, &project.branch).await?;
    let change = ChangeContext { branch: branch.id, user: project.user, now };
    let defaults = custom_fields::object_defaults(tx, project.record.id).await?;
    objects::add(tx, &change, &made, &defaults).await?;
    let added: Vec<ObjectId> = made.iter().take(NAMED_IN_EVENT).map(|folder| folder.id).collect();
    let data = json!({ "branch": branch.name, "addedCount": made.len(), "added": added });
    let event = NewEvent { kind: EventType::ObjectsChanged, data };
    publish(tx, &group.call, project.record.id, &event)?;
    session_events::append(tx, group.through.session, now, &event).await?;
    Ok(folders)
}

fn folder(id: ObjectId, name: Name, parent: ObjectId) -> Object {
    Object {
        id,
        name,
        object_type: FOLDER_TYPE.to_owned(),
        parent,
        kind: None,
        file: None,
        include: None,
        data: Map::new(),
    }
}

/// The objects below `parent` that have one of these names and may hold files: packages, folders and other objects that
/// no upload has made. Of siblings with the same name the first in the tree's order.
async fn holders(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    names: &HashSet<&Name>,
    parent: ObjectId,
) -> Result<Holders> {
    let id = project.record.id;
    let changed: Vec<NamedObjectRow> = Statement::new(include_str!("named.sql"))
        .bind::<SqlUuid, _>(project.branch.id)
        .bind::<Array<Text>, _>(names.iter().map(|name| name.as_str()).collect::<Vec<_>>())
        .load(tx)
        .await?;
    let mut candidates: HashSet<ObjectId> = changed.iter().map(|row| ObjectId(row.object_id)).collect();
    let committed = tree::committed(tx, id, project.branch.head).await?;
    // Parents come before their children.
    for node in committed.tree.tree.iter().filter(|node| names.contains(&node.name)) {
        if node.parent == parent || candidates.contains(&node.parent) {
            candidates.insert(node.id);
        }
    }
    let found = branch_objects::find_all(tx, id, &project.branch, candidates).await?;
    let mut holders = Holders::new();
    for object in found.into_values().filter_map(BranchObject::object) {
        let may_hold = object.kind.is_none() && object.file.is_none() && object.include.is_none();
        if may_hold && names.contains(&object.name) {
            let first = holders.entry((object.parent, object.name)).or_insert(object.id);
            *first = object.id.min(*first);
        }
    }
    Ok(holders)
}

#[derive(QueryableByName)]
struct NamedObjectRow {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
}
