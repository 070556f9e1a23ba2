//! The parents of objects during a merge.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::id::{ObjectId, ProjectId};

/// A tree under construction, which may have missing parents and cycles.
pub(crate) struct TreeDraft {
    root: ObjectId,
    parents: HashMap<ObjectId, ObjectId>,
    removed: BTreeSet<ObjectId>,
}

/// The end of the path upwards from an object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathEnd {
    Root,
    /// A missing object.
    Missing(ObjectId),
    /// The object is part of a cycle.
    Cycle,
    /// The object is below a cycle.
    OnCycle,
    /// Unknown so far: the object is on the current path.
    Open,
}

impl TreeDraft {
    /// The tree of a project from each object's parent.
    pub(crate) fn new(project: ProjectId, parents: HashMap<ObjectId, ObjectId>) -> Self {
        Self { root: project.into(), parents, removed: BTreeSet::new() }
    }

    /// Sets an object's parent; `None` removes the object.
    pub(crate) fn put(&mut self, id: ObjectId, parent: Option<ObjectId>) {
        match parent {
            Some(parent) => {
                self.parents.insert(id, parent);
                self.removed.remove(&id);
            }
            None => {
                if self.parents.remove(&id).is_some() {
                    self.removed.insert(id);
                }
            }
        }
    }

    /// True for objects in the tree, including the root.
    pub(crate) fn holds(&self, id: ObjectId) -> bool {
        id == self.root || self.parents.contains_key(&id)
    }

    /// Removed objects.
    pub(crate) fn removed(&self) -> impl Iterator<Item = ObjectId> {
        self.removed.iter().copied()
    }

    /// Direct children of an object.
    pub(crate) fn children(&self, of: ObjectId) -> impl Iterator<Item = ObjectId> {
        self.parents.iter().filter(move |(_, parent)| **parent == of).map(|(id, _)| *id)
    }

    /// The parent of each object, with repetitions.
    pub(crate) fn parents(&self) -> impl Iterator<Item = ObjectId> {
        self.parents.values().copied()
    }

    /// The descendants of each missing object.
    pub(crate) fn loose(&self) -> BTreeMap<ObjectId, Vec<ObjectId>> {
        let mut loose: BTreeMap<ObjectId, Vec<ObjectId>> = BTreeMap::new();
        for (id, end) in self.ends() {
            if let PathEnd::Missing(missing) = end {
                loose.entry(missing).or_default().push(id);
            }
        }
        loose
    }

    /// The objects that are part of a cycle.
    pub(crate) fn cycles(&self) -> BTreeSet<ObjectId> {
        self.ends().into_iter().filter(|(_, end)| *end == PathEnd::Cycle).map(|(id, _)| id).collect()
    }

    /// The end of the path upwards from each object, in linear time.
    fn ends(&self) -> HashMap<ObjectId, PathEnd> {
        let mut ends: HashMap<ObjectId, PathEnd> = HashMap::with_capacity(self.parents.len());
        let mut way = Vec::new();
        for start in self.parents.keys() {
            let mut at = *start;
            let end = loop {
                if at == self.root {
                    break PathEnd::Root;
                }
                if let Some(end) = ends.get(&at) {
                    break *end;
                }
                let Some(parent) = self.parents.get(&at) else { break PathEnd::Missing(at) };
                ends.insert(at, PathEnd::Open);
                way.push(at);
                at = *parent;
            };
            // Met again on the same path: a cycle starts here, and the objects before are below it.
            let mut within = match end {
                PathEnd::Open => PathEnd::Cycle,
                PathEnd::Cycle => PathEnd::OnCycle,
                end => end,
            };
            for id in way.drain(..).rev() {
                ends.insert(id, within);
                if id == at {
                    within = PathEnd::OnCycle;
                }
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use domain::id::{ObjectId, ProjectId};
    use uuid::Uuid;

    use super::TreeDraft;

    fn id(number: u128) -> ObjectId {
        ObjectId(Uuid::from_u128(number))
    }

    fn tree_draft(parents: &[(u128, u128)]) -> TreeDraft {
        let parents: HashMap<_, _> =
            parents.iter().map(|(child, parent)| (id(*child), id(*parent))).collect();
        TreeDraft::new(ProjectId(id(0).0), parents)
    }

    #[test]
    fn missing_parents_are_found_with_their_descendants() {
        let tree = tree_draft(&[(1, 0), (2, 1), (4, 3), (5, 4), (6, 3), (8, 7)]);
        let mut loose = tree.loose();
        loose.values_mut().for_each(|ids| ids.sort());
        assert_eq!(
            loose.into_iter().collect::<Vec<_>>(),
            [(id(3), vec![id(4), id(5), id(6)]), (id(7), vec![id(8)])]
        );
    }

    #[test]
    fn a_cycle_is_found_without_the_objects_below_it() {
        // A HashMap's random order varies the starting points.
        for _ in 0..20 {
            let tree = tree_draft(&[(1, 0), (2, 3), (3, 4), (4, 2), (5, 4), (6, 5), (7, 7), (8, 1)]);
            assert_eq!(tree.cycles().into_iter().collect::<Vec<_>>(), [id(2), id(3), id(4), id(7)]);
            assert!(tree.loose().is_empty());
        }
    }
}
