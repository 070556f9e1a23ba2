//! Parents and children on a branch, with its working changes and the change in progress. Moves and deletions need them. The
//! cost depends on the changes and the queries, not on the size of the project.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use database::prelude::*;
use diesel::sql_types::{Nullable, Uuid as SqlUuid};
use domain::Result;
use domain::id::{ObjectId, ProjectId};
use uuid::Uuid;

use crate::access::project::Branch;
use crate::resources::content::tree;
use crate::resources::store::Tx;
use domain::content::snapshot::Snapshot;

/// The structure of a locked branch.
pub(crate) struct Structure {
    root: ObjectId,
    committed: Arc<Snapshot>,
    /// The objects with working changes from before.
    uncommitted: HashSet<ObjectId>,
    /// The parents of changed objects; `None` for a deleted one.
    parents: HashMap<ObjectId, Option<ObjectId>>,
    /// The changed objects by their parents.
    below: HashMap<ObjectId, BTreeSet<ObjectId>>,
}

impl Structure {
    /// Loads the head's tree, mostly from the cache, and the parents of the working changes.
    pub(crate) async fn load(tx: &mut Tx, project: ProjectId, branch: &Branch) -> Result<Self> {
        let committed = tree::committed(tx, project, branch.head).await?;
        let rows: Vec<ParentRow> = Statement::new(include_str!("structure/parents.sql"))
            .bind::<SqlUuid, _>(branch.id)
            .load(tx)
            .await?;
        let mut structure = Self {
            root: project.into(),
            committed,
            uncommitted: HashSet::with_capacity(rows.len()),
            parents: HashMap::with_capacity(rows.len()),
            below: HashMap::new(),
        };
        for ParentRow { object_id, parent } in rows {
            structure.uncommitted.insert(ObjectId(object_id));
            structure.place(ObjectId(object_id), parent.map(ObjectId));
        }
        Ok(structure)
    }

    /// `true` if the object had a working change before the change in progress.
    pub(crate) fn was_uncommitted(&self, id: ObjectId) -> bool {
        self.uncommitted.contains(&id)
    }

    /// Moves an object under `parent`; `None` deletes it.
    pub(crate) fn place(&mut self, id: ObjectId, parent: Option<ObjectId>) {
        let before = self.parents.insert(id, parent).flatten();
        if let Some(siblings) = before.and_then(|before| self.below.get_mut(&before)) {
            siblings.remove(&id);
        }
        if let Some(parent) = parent {
            self.below.entry(parent).or_default().insert(id);
        }
    }

    /// Resets an object to its place in the head.
    pub(crate) fn reset(&mut self, id: ObjectId) {
        self.place(id, None);
        self.parents.remove(&id);
    }

    /// The parent of an object; `None` if it is not in the tree.
    pub(crate) fn parent(&self, id: ObjectId) -> Option<ObjectId> {
        match self.parents.get(&id) {
            Some(parent) => *parent,
            None => self.committed.node(id).map(|node| node.parent),
        }
    }

    /// The direct children of an object.
    pub(crate) fn children(&self, id: ObjectId) -> impl Iterator<Item = ObjectId> {
        let committed = self.committed.children(id).map(|node| node.id);
        let kept = committed.filter(|child| !self.parents.contains_key(child));
        kept.chain(self.below.get(&id).into_iter().flatten().copied())
    }

    /// An object and all its descendants.
    pub(crate) fn subtree(&self, id: ObjectId) -> Vec<ObjectId> {
        let mut found = vec![id];
        let mut seen = HashSet::from([id]);
        let mut next = 0;
        while let Some(parent) = found.get(next).copied() {
            next += 1;
            found.extend(self.children(parent).filter(|child| seen.insert(*child)));
        }
        found
    }

    /// The first of these objects without a path up to the project object; `None` if all are in the tree.
    pub(crate) fn first_detached(&self, ids: impl IntoIterator<Item = ObjectId>) -> Option<ObjectId> {
        let mut rooted = HashSet::from([self.root]);
        for id in ids {
            let (mut at, mut path) = (id, HashSet::new());
            while !rooted.contains(&at) {
                // A second visit: a cycle.
                if !path.insert(at) {
                    return Some(id);
                }
                match self.parent(at) {
                    Some(parent) => at = parent,
                    None => return Some(id),
                }
            }
            rooted.extend(path);
        }
        None
    }
}

#[derive(QueryableByName)]
struct ParentRow {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    parent: Option<Uuid>,
}
