//! Snapshots: the immutable tree of a commit or of a branch's revision, with an index by object.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::content::object::{FileRef, Tree, TreeNode};
use crate::error::{Error, Result};
use crate::id::{ObjectId, ProjectId};
use crate::search::{SEAM, SearchTerms, fold};

/// Memory of a node's entries in the indexes by object and by name, in bytes.
const INDEX_ENTRY_BYTES: usize = 48;
/// Memory of the texts of a node's file, in bytes.
const FILE_TEXT_BYTES: usize = 32;

/// Most changes that a derived snapshot collects. Beyond, its base is built first.
const DERIVED_CHANGES_MAX: usize = 2_000;

/// An immutable tree.
pub struct Snapshot {
    /// The tree, shared with the answers that send it.
    pub tree: Arc<Tree>,
    index: OnceLock<NodeRanges>,
    names: OnceLock<FoldedNames>,
}

/// Changed nodes by their ids; `None` for a deleted one.
pub type Changes = HashMap<ObjectId, Option<TreeNode>>;

/// A snapshot that is built on demand, from a base and changes. To build it costs time in the size of the project; to keep
/// its parts, only in the number of changes.
pub struct DerivedSnapshot {
    base: Arc<Snapshot>,
    project: ProjectId,
    changes: Changes,
}

/// The places of nodes in a tree. A node's descendants follow it without a gap.
struct NodeRanges {
    places: HashMap<ObjectId, usize>,
    /// For each node, the place after its last descendant.
    ends: Vec<usize>,
}

/// The folded names of a tree in one text: a search folds none of them again.
struct FoldedNames {
    /// The names, each with a seam behind it.
    text: String,
    /// For each node, the end of its name in the text.
    ends: Vec<usize>,
}

impl Snapshot {
    /// Sorts nodes and counts their children: parents come before their children, and siblings are in the order of their
    /// ids, which is that of their creation.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if a node hangs below none of the others.
    pub fn arrange(project: ProjectId, mut nodes: Vec<TreeNode>) -> Result<Self> {
        let total = nodes.len();
        // In reverse: the stack returns siblings in their order.
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
        // The project object is counted but not listed.
        let tree = Tree { object_count: count(total)? + 1, tree };
        Ok(Self { tree: Arc::new(tree), index: OnceLock::new(), names: OnceLock::new() })
    }

    /// This tree with changes.
    ///
    /// # Errors
    /// As [`Snapshot::arrange`].
    pub fn with(&self, project: ProjectId, changes: &Changes) -> Result<Self> {
        let kept = self.tree.tree.iter().filter(|node| !changes.contains_key(&node.id));
        let nodes = kept.chain(changes.values().flatten()).cloned().collect();
        Self::arrange(project, nodes)
    }

    /// The node of an object.
    pub fn node(&self, id: ObjectId) -> Option<&TreeNode> {
        self.tree.tree.get(*self.index().places.get(&id)?)
    }

    /// The direct children of an object.
    pub fn children(&self, id: ObjectId) -> impl Iterator<Item = &TreeNode> {
        let within = match self.index().places.get(&id) {
            Some(place) => self.range(*place),
            // Either the project object, the root of all nodes, or an unknown object.
            None if self.tree.tree.first().is_some_and(|first| first.parent == id) => 0..self.tree.tree.len(),
            None => 0..0,
        };
        let mut next = within.start;
        std::iter::from_fn(move || {
            let place = next;
            next = self.index().ends.get(place).copied().filter(|_| place < within.end)?;
            self.tree.tree.get(place)
        })
    }

    /// An object with all its descendants, in the tree's order.
    pub fn subtree(&self, id: ObjectId) -> Option<&[TreeNode]> {
        let place = *self.index().places.get(&id)?;
        let below = self.range(place);
        self.tree.tree.get(place..below.end)
    }

    /// The nodes whose names hold these terms, in the tree's order.
    pub fn named<'a>(&'a self, terms: &'a SearchTerms) -> impl Iterator<Item = &'a TreeNode> {
        let FoldedNames { text, ends } = self.names.get_or_init(|| FoldedNames::of(&self.tree));
        // Every name that holds all terms holds the first one.
        let first = terms.terms().first().map_or(terms.folded(), String::as_str);
        let mut places: Vec<usize> =
            text.match_indices(first).map(|(at, _)| ends.partition_point(|end| *end <= at)).collect();
        places.dedup();
        places.into_iter().filter_map(move |place| {
            let begin = place
                .checked_sub(1)
                .and_then(|before| ends.get(before))
                .map_or(0, |end| end + SEAM.len_utf8());
            let name = text.get(begin..*ends.get(place)?)?;
            terms.are_in(name).then(|| self.tree.tree.get(place))?
        })
    }

    /// Approximate memory, in bytes.
    pub fn weight(&self) -> u32 {
        let nodes = &self.tree.tree;
        let file = |node: &TreeNode| node.file.as_ref().map_or(0, |_| size_of::<FileRef>() + FILE_TEXT_BYTES);
        let product = |node: &TreeNode| node.product.as_ref().map_or(0, |product| product.as_str().len());
        let texts = nodes
            .iter()
            .map(|node| 2 * node.name.as_str().len() + node.object_type.len() + product(node) + file(node));
        let each = size_of::<TreeNode>() + INDEX_ENTRY_BYTES;
        u32::try_from(texts.sum::<usize>() + nodes.len() * each + size_of::<Tree>()).unwrap_or(u32::MAX)
    }

    /// The places of the descendants of the node at `place`.
    fn range(&self, place: usize) -> Range<usize> {
        let first = place + 1;
        first..self.index().ends.get(place).copied().unwrap_or(first)
    }

    fn index(&self) -> &NodeRanges {
        self.index.get_or_init(|| {
            let nodes = &self.tree.tree;
            let places: HashMap<ObjectId, usize> =
                nodes.iter().enumerate().map(|(place, node)| (node.id, place)).collect();
            let mut ends: Vec<usize> = (1..=nodes.len()).collect();
            // In reverse: a node's end is known before its parent's.
            for (place, node) in nodes.iter().enumerate().rev() {
                let end = ends.get(place).copied().unwrap_or_default();
                if let Some(parents) = places.get(&node.parent).and_then(|parent| ends.get_mut(*parent)) {
                    *parents = end.max(*parents);
                }
            }
            NodeRanges { places, ends }
        })
    }
}

impl FoldedNames {
    fn of(tree: &Tree) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(tree.tree.len()));
        for node in &tree.tree {
            text.push_str(&fold(node.name.as_str()));
            ends.push(text.len());
            text.push(SEAM);
        }
        Self { text, ends }
    }
}

impl DerivedSnapshot {
    /// The snapshot `base` with changes.
    pub fn new(base: Arc<Snapshot>, project: ProjectId, changes: Changes) -> Self {
        Self { base, project, changes }
    }

    /// This snapshot with further changes. It is built first if there would be too many.
    ///
    /// # Errors
    /// As [`Snapshot::arrange`].
    pub fn and(&self, further: Changes) -> Result<Self> {
        let Self { base, project, changes } = self;
        if changes.len() + further.len() > DERIVED_CHANGES_MAX {
            return Ok(Self::new(Arc::new(self.build()?), *project, further));
        }
        let mut all = changes.clone();
        all.extend(further);
        Ok(Self::new(Arc::clone(base), *project, all))
    }

    /// Builds the snapshot.
    ///
    /// # Errors
    /// As [`Snapshot::arrange`].
    pub fn build(&self) -> Result<Snapshot> {
        self.base.with(self.project, &self.changes)
    }

    /// Approximate memory, in bytes, with its base.
    pub fn weight(&self) -> u32 {
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

    use super::{DERIVED_CHANGES_MAX, DerivedSnapshot, Snapshot};
    use crate::content::object::TreeNode;
    use crate::id::{ObjectId, ProjectId};
    use crate::search::SearchTerms;
    use crate::text::Name;
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
            product: None,
            file: None,
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
    fn nodes_are_found_by_their_names() {
        let names = ["Gear", "gear gear box", "Box", "Gearbox \u{d8}"];
        let named = |(number, name): (u128, &str)| TreeNode {
            name: Name::sanitize(name).unwrap(),
            ..node((number, 1_000))
        };
        let snapshot = Snapshot::arrange(PROJECT, (1..).zip(names).map(named).collect()).unwrap();
        let found = |q: &str| -> Vec<_> {
            snapshot.named(&SearchTerms::parse(q)).map(|node| node.id.0.as_u128()).collect()
        };
        assert_eq!(found("GEAR"), [1, 2, 4]);
        assert_eq!(found("box gear"), [2, 4]);
        assert_eq!(found("\"gear box\""), [2]);
        assert_eq!(found("gearbox \u{d8}"), [4]);
        assert_eq!(found(" "), [2, 4]);
        assert!(found("wheel").is_empty());
    }

    #[test]
    fn changes_on_changes_make_the_tree_of_all_of_them() {
        let base = Arc::new(Snapshot::arrange(PROJECT, [(1, 1_000), (2, 1_000)].map(node).to_vec()).unwrap());
        let ids = |derived: &DerivedSnapshot| -> Vec<_> {
            derived.build().unwrap().tree.tree.iter().map(|node| (node.id, node.parent)).collect()
        };
        let added = DerivedSnapshot::new(base, PROJECT, HashMap::from([(id(3), Some(node((3, 1))))]));
        assert_eq!(ids(&added), [(id(1), PROJECT.into()), (id(3), id(1)), (id(2), PROJECT.into())]);
        let moved = [(id(3), Some(node((3, 2)))), (id(1), None)];
        let moved = added.and(HashMap::from(moved)).unwrap();
        assert_eq!(ids(&moved), [(id(2), PROJECT.into()), (id(3), id(2))]);
        let many = (10_u128..).take(DERIVED_CHANGES_MAX).map(|number| (id(number), Some(node((number, 3)))));
        let grown = moved.and(many.collect()).unwrap();
        assert_eq!(grown.build().unwrap().subtree(id(3)).unwrap().len(), DERIVED_CHANGES_MAX + 1);
    }

    #[test]
    fn nodes_outside_of_the_tree_are_refused() {
        assert!(Snapshot::arrange(PROJECT, [(1, 2)].map(node).to_vec()).is_err());
        assert!(Snapshot::arrange(PROJECT, [(1, 2), (2, 1)].map(node).to_vec()).is_err());
    }
}
