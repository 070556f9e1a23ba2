//! Which object hangs under which, with the working changes and the change that is being made: what moves and deletions
//! have to know. Its cost follows the changes and what is asked for, never the project.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use diesel::sql_types::{Nullable, Uuid as SqlUuid};
use domain::Result;
use domain::id::{ObjectId, ProjectId};
use uuid::Uuid;

use crate::access::project::Branch;
use crate::db::prelude::*;
use crate::resources::content::snapshot::Snapshot;
use crate::resources::content::tree;
use crate::resources::store::Tx;

/// The structure of a locked branch.
pub(crate) struct Structure {
    root: ObjectId,
    committed: Arc<Snapshot>,
    /// The objects that the working changes touched before.
    uncommitted: HashSet<ObjectId>,
    /// Where the changes have put objects; `None` where they have deleted them.
    placed: HashMap<ObjectId, Option<ObjectId>>,
    /// Those objects by their parents.
    below: HashMap<ObjectId, BTreeSet<ObjectId>>,
}

impl Structure {
    /// Reads it: the head's from the cache where it is there, and the working changes' own.
    pub(crate) async fn load(tx: &mut Tx, project: ProjectId, branch: &Branch) -> Result<Self> {
        let committed = tree::committed(tx, project, branch.head).await?;
        let rows: Vec<Row> = Statement::new(include_str!("structure/placed.sql"))
            .bind::<SqlUuid, _>(branch.id)
            .load(tx)
            .await?;
        let mut structure = Self {
            root: project.into(),
            committed,
            uncommitted: HashSet::with_capacity(rows.len()),
            placed: HashMap::with_capacity(rows.len()),
            below: HashMap::new(),
        };
        for Row { object_id, parent } in rows {
            structure.uncommitted.insert(ObjectId(object_id));
            structure.place(ObjectId(object_id), parent.map(ObjectId));
        }
        Ok(structure)
    }

    /// Whether the working changes touched the object before the change that is being made.
    pub(crate) fn was_uncommitted(&self, id: ObjectId) -> bool {
        self.uncommitted.contains(&id)
    }

    /// Puts an object under another, or takes it out of the tree.
    pub(crate) fn place(&mut self, id: ObjectId, parent: Option<ObjectId>) {
        let before = self.placed.insert(id, parent).flatten();
        if let Some(siblings) = before.and_then(|before| self.below.get_mut(&before)) {
            siblings.remove(&id);
        }
        if let Some(parent) = parent {
            self.below.entry(parent).or_default().insert(id);
        }
    }

    /// Puts an object back to where the head has it.
    pub(crate) fn put_back(&mut self, id: ObjectId) {
        self.place(id, None);
        self.placed.remove(&id);
    }

    /// The object that one hangs under; `None` where it is not in the tree.
    pub(crate) fn parent(&self, id: ObjectId) -> Option<ObjectId> {
        match self.placed.get(&id) {
            Some(placed) => *placed,
            None => self.committed.node(id).map(|node| node.parent),
        }
    }

    /// The objects directly under one.
    pub(crate) fn children(&self, id: ObjectId) -> impl Iterator<Item = ObjectId> {
        let committed = self.committed.children(id).map(|node| node.id);
        let kept = committed.filter(|child| !self.placed.contains_key(child));
        kept.chain(self.below.get(&id).into_iter().flatten().copied())
    }

    /// An object and everything under it.
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

    /// The first of these objects from which no way leads up to the project object; `None` where all hang in the tree.
    pub(crate) fn first_adrift(&self, ids: impl IntoIterator<Item = ObjectId>) -> Option<ObjectId> {
        let mut rooted = HashSet::from([self.root]);
        for id in ids {
            let (mut at, mut way) = (id, HashSet::new());
            while !rooted.contains(&at) {
                // Met twice, it hangs under itself.
                if !way.insert(at) {
                    return Some(id);
                }
                match self.parent(at) {
                    Some(parent) => at = parent,
                    None => return Some(id),
                }
            }
            rooted.extend(way);
        }
        None
    }
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    parent: Option<Uuid>,
}
