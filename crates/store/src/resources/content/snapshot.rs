//! The tree of a commit or of a branch at one revision, and where each object is in it.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use domain::id::{ObjectId, ProjectId};
use domain::object::{Tree, TreeNode};
use domain::{Error, Result};

/// What it takes to know where a node is, in bytes.
const PLACE_BYTES: usize = 40;

/// Changes over a tree up to which another commit's are put on top of them, rather than making the tree.
const MOST_CHANGES: usize = 2_000;

/// A tree that can't change any more.
pub(crate) struct Snapshot {
    /// The tree, shared with whoever answers it.
    pub(crate) tree: Arc<Tree>,
    places: OnceLock<NodeRanges>,
}

/// What some changes make of each object that they touch; `None` where they delete it.
pub(crate) type Changes = HashMap<ObjectId, Option<TreeNode>>;

/// A tree that nobody has asked for yet: another one with changes. To make it takes time that follows the project; to
/// know what it is made of, time that follows the changes.
pub(crate) struct Derived {
    base: Arc<Snapshot>,
    project: ProjectId,
    changes: Changes,
}

/// Where nodes are. A node's descendants follow it without a gap.
struct NodeRanges {
    of: HashMap<ObjectId, usize>,
    /// For each node the place after its last descendant.
    ends: Vec<usize>,
}

impl Snapshot {
    /// The nodes in a tree's order, with their numbers of children: parents before their children, and siblings in the
    /// order of their ids, which is that of their creation.
    pub(crate) fn arrange(project: ProjectId, mut nodes: Vec<TreeNode>) -> Result<Self> {
        let total = nodes.len();
        // From the last to the first: so a stack of siblings gives the first first.
        nodes.sort_by_key(|node| Reverse(node.id));
        let mut children: HashMap<ObjectId, Vec<TreeNode>> = HashMap::new();
        for node in nodes {
            children.entry(node.parent).or_default().push(node);
        }
        let mut tree = Vec::with_capacity(total);
        let mut stack = children.remove(&project.into()).unwrap_or_default();
        while let Some(mut node) = stack.pop() {
            let below = children.remove(&node.id).unwrap_or_default();
            node.children_count = count(below.len())?;
            stack.extend(below);
            tree.push(node);
        }
        if tree.len() != total {
            return Err(Error::internal(format!("objects of project {project} do not hang in its tree")));
        }
        // The project object itself is counted, and not listed.
        let tree = Tree { object_count: count(total)? + 1, tree };
        Ok(Self { tree: Arc::new(tree), places: OnceLock::new() })
    }

    /// This tree with changes.
    pub(crate) fn with(&self, project: ProjectId, changes: &Changes) -> Result<Self> {
        let kept = self.tree.tree.iter().filter(|node| !changes.contains_key(&node.id));
        let nodes = kept.chain(changes.values().flatten()).cloned().collect();
        Self::arrange(project, nodes)
    }

    /// An object.
    pub(crate) fn node(&self, id: ObjectId) -> Option<&TreeNode> {
        self.tree.tree.get(*self.places().of.get(&id)?)
    }

    /// The objects directly under one.
    pub(crate) fn children(&self, id: ObjectId) -> impl Iterator<Item = &TreeNode> {
        let within = match self.places().of.get(&id) {
            Some(place) => self.range(*place),
            // The project object, under which everything is; or nothing.
            None if self.tree.tree.first().is_some_and(|first| first.parent == id) => 0..self.tree.tree.len(),
            None => 0..0,
        };
        let mut next = within.start;
        std::iter::from_fn(move || {
            let place = next;
            next = self.places().ends.get(place).copied().filter(|_| place < within.end)?;
            self.tree.tree.get(place)
        })
    }

    /// An object with everything under it, in the tree's order.
    pub(crate) fn subtree(&self, id: ObjectId) -> Option<&[TreeNode]> {
        let place = *self.places().of.get(&id)?;
        let below = self.range(place);
        self.tree.tree.get(place..below.end)
    }

    /// About what it takes in memory, in bytes.
    pub(crate) fn weight(&self) -> u32 {
        let nodes = &self.tree.tree;
        let texts = nodes.iter().map(|node| node.name.as_str().len() + node.object_type.len());
        let each = size_of::<TreeNode>() + PLACE_BYTES;
        u32::try_from(texts.sum::<usize>() + nodes.len() * each + size_of::<Tree>()).unwrap_or(u32::MAX)
    }

    /// The places of what is under the node at `place`.
    fn range(&self, place: usize) -> Range<usize> {
        let first = place + 1;
        first..self.places().ends.get(place).copied().unwrap_or(first)
    }

    fn places(&self) -> &NodeRanges {
        self.places.get_or_init(|| {
            let nodes = &self.tree.tree;
            let of: HashMap<ObjectId, usize> =
                nodes.iter().enumerate().map(|(place, node)| (node.id, place)).collect();
            let mut ends: Vec<usize> = (1..=nodes.len()).collect();
            // From the last to the first: a node's end is known before its parent's.
            for (place, node) in nodes.iter().enumerate().rev() {
                let end = ends.get(place).copied().unwrap_or_default();
                if let Some(parents) = of.get(&node.parent).and_then(|parent| ends.get_mut(*parent)) {
                    *parents = end.max(*parents);
                }
            }
            NodeRanges { of, ends }
        })
    }
}

impl Derived {
    /// `base` with changes.
    pub(crate) fn new(base: Arc<Snapshot>, project: ProjectId, changes: Changes) -> Self {
        Self { base, project, changes }
    }

    /// This one with further changes: in place of making it, where they stay few.
    pub(crate) fn and(&self, further: Changes) -> Result<Self> {
        let Self { base, project, changes } = self;
        if changes.len() + further.len() > MOST_CHANGES {
            return Ok(Self::new(Arc::new(self.make()?), *project, further));
        }
        let mut all = changes.clone();
        all.extend(further);
        Ok(Self::new(Arc::clone(base), *project, all))
    }

    /// The tree.
    pub(crate) fn make(&self) -> Result<Snapshot> {
        self.base.with(self.project, &self.changes)
    }

    /// About what it takes in memory, in bytes: it keeps what it is made of.
    pub(crate) fn weight(&self) -> u32 {
        let each = size_of::<(ObjectId, Option<TreeNode>)>();
        let changes = u32::try_from(self.changes.len() * each).unwrap_or(u32::MAX);
        self.base.weight().saturating_add(changes)
    }
}

fn count(number: usize) -> Result<u64> {
    u64::try_from(number).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use super::{Derived, MOST_CHANGES, Snapshot};
    use domain::id::{ObjectId, ProjectId};
    use domain::object::TreeNode;
    use domain::text::Name;
    use uuid::Uuid;

    const PROJECT: ProjectId = ProjectId(Uuid::from_u128(1_000));

    fn id(number: u128) -> ObjectId {
        ObjectId(Uuid::from_u128(number))
    }

    fn node((number, parent): (u128, u128)) -> TreeNode {
        TreeNode {
            id: id(number),
            name: Name::sanitize("x").unwrap(),
            object_type: "Part".to_owned(),
            parent: id(parent),
            children_count: 0,
        }
    }

    #[test]
    fn children_and_subtrees_are_found_by_place() {
        let nodes = [(1, 1_000), (2, 1_000), (3, 1), (4, 3), (5, 1), (6, 2)].map(node).to_vec();
        let snapshot = Snapshot::arrange(PROJECT, nodes).unwrap();
        let ids = |nodes: Vec<&TreeNode>| nodes.iter().map(|node| node.id).collect::<Vec<_>>();
        assert_eq!(ids(snapshot.children(PROJECT.into()).collect()), [id(1), id(2)]);
        assert_eq!(ids(snapshot.children(id(1)).collect()), [id(3), id(5)]);
        assert_eq!(ids(snapshot.children(id(4)).collect()), []);
        assert_eq!(ids(snapshot.children(id(9)).collect()), []);
        assert_eq!(ids(snapshot.subtree(id(1)).unwrap().iter().collect()), [id(1), id(3), id(4), id(5)]);
        assert_eq!(ids(snapshot.subtree(id(6)).unwrap().iter().collect()), [id(6)]);
        assert!(snapshot.subtree(id(9)).is_none());
        assert_eq!(snapshot.node(id(4)).unwrap().parent, id(3));
        let empty = Snapshot::arrange(PROJECT, Vec::new()).unwrap();
        assert_eq!(empty.children(PROJECT.into()).count(), 0);
    }

    #[test]
    fn changes_on_changes_make_the_tree_of_all_of_them() {
        let base = Arc::new(Snapshot::arrange(PROJECT, [(1, 1_000), (2, 1_000)].map(node).to_vec()).unwrap());
        let ids = |derived: &Derived| -> Vec<_> {
            derived.make().unwrap().tree.tree.iter().map(|node| (node.id, node.parent)).collect()
        };
        let added = Derived::new(base, PROJECT, HashMap::from([(id(3), Some(node((3, 1))))]));
        assert_eq!(ids(&added), [(id(1), PROJECT.into()), (id(3), id(1)), (id(2), PROJECT.into())]);
        let moved = [(id(3), Some(node((3, 2)))), (id(1), None)];
        let moved = added.and(HashMap::from(moved)).unwrap();
        assert_eq!(ids(&moved), [(id(2), PROJECT.into()), (id(3), id(2))]);
        let many = (10_u128..).take(MOST_CHANGES).map(|number| (id(number), Some(node((number, 3)))));
        let grown = moved.and(many.collect()).unwrap();
        assert_eq!(grown.make().unwrap().subtree(id(3)).unwrap().len(), MOST_CHANGES + 1);
    }

    #[test]
    fn what_hangs_nowhere_is_refused() {
        assert!(Snapshot::arrange(PROJECT, [(1, 2)].map(node).to_vec()).is_err());
        assert!(Snapshot::arrange(PROJECT, [(1, 2), (2, 1)].map(node).to_vec()).is_err());
    }
}
