//! The components of one or several trees as items: each with its parent among them, the key of what it is an
//! occurrence of, and the class of all items that have the same structure below them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::BomGrouping;
use super::component::{Component, Components, Digest};
use super::identity::Numbers;
use super::quantity::Quantity;
use crate::content::object::{CommitHash, Include, TreeNode};
use crate::content::snapshot::Snapshot;
use crate::id::{ObjectId, ProjectId};
use crate::text::Name;

/// A tree whose components are counted.
#[derive(Clone)]
pub struct BomSource {
    /// The project.
    pub project: ProjectId,
    /// The commit of a tree that never changes.
    pub commit: Option<CommitHash>,
    /// The tree.
    pub snapshot: Arc<Snapshot>,
    /// Only this object with its descendants.
    pub root: Option<ObjectId>,
    /// The components of the tree.
    pub components: Arc<Components>,
}

/// The trees of a bill of materials.
#[derive(Clone, Default)]
pub struct BomInput {
    /// The tree that the bill is of, then those of included packages.
    pub sources: Vec<BomSource>,
    /// The included packages that were read. All others are out of reach.
    pub packages: HashMap<Include, ReadPackage>,
}

/// An included package that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadPackage {
    /// Its name.
    pub name: Name,
    /// The index of its tree.
    pub source: usize,
}

/// A component within a bill.
pub(crate) struct BomItem<'a> {
    pub(crate) node: &'a TreeNode,
    pub(crate) component: &'a Component,
    /// Index of its tree.
    pub(crate) source: usize,
    pub(crate) parent: Option<usize>,
    /// The first and the next item below the same parent.
    first: Option<usize>,
    last: Option<usize>,
    next: Option<usize>,
    /// Number of its place among its siblings.
    place: usize,
    /// Number of the key of what it is an occurrence of.
    pub(crate) key: usize,
    pub(crate) quantity: Quantity,
    /// Number of the quantity's unit.
    pub(crate) unit: Option<usize>,
    /// Number of its class: items of one class have equal structures.
    pub(crate) class: usize,
    /// The tree of an included package.
    pub(crate) package: Option<usize>,
}

/// The items of all trees.
pub(crate) struct BomItems<'a> {
    pub(crate) input: &'a BomInput,
    pub(crate) items: Vec<BomItem<'a>>,
    /// The items of each tree, parents before children.
    ranges: Vec<Range<usize>>,
    /// The items of each tree that are below no other one.
    tops: Vec<Vec<usize>>,
    /// The trees, each before those that it includes.
    pub(crate) order: Vec<usize>,
    numbers: Numbers<'a>,
}

/// The children of a class, four numbers for each: class, unit, placement where it counts, and quantity.
type ChildList = Vec<u64>;

/// The identity of a class, beside its children.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ClassIdentity {
    Key(usize),
    Shape(Digest),
    /// An assembly of shapes, which its children identify.
    Arrangement,
}

impl BomSource {
    /// The objects, parents before children.
    pub fn nodes(&self) -> &[TreeNode] {
        match self.root {
            Some(root) => self.snapshot.subtree(root).unwrap_or_default(),
            None => &self.snapshot.tree.tree,
        }
    }
}

impl<'a> BomItems<'a> {
    /// The items of these trees. A package that includes itself, which none can, counts as out of reach.
    pub(crate) fn of(input: &'a BomInput, grouping: BomGrouping) -> Self {
        let mut items = Self {
            input,
            items: Vec::with_capacity(input.sources.iter().map(|source| source.nodes().len()).sum()),
            ranges: Vec::new(),
            tops: Vec::new(),
            order: Vec::new(),
            numbers: Numbers::default(),
        };
        for (number, source) in input.sources.iter().enumerate() {
            let begin = items.items.len();
            items.numbers.begin(&source.components);
            items.add(number, source);
            items.ranges.push(begin..items.items.len());
            let added = items.items.iter().enumerate().skip(begin);
            items
                .tops
                .push(added.filter(|(_, item)| item.parent.is_none()).map(|(index, _)| index).collect());
        }
        items.sort_sources();
        items.classify(grouping);
        items
    }

    pub(crate) fn get(&self, index: usize) -> Option<&BomItem<'a>> {
        self.items.get(index)
    }

    /// The items of a tree, parents before children.
    pub(crate) fn range(&self, source: usize) -> Range<usize> {
        self.ranges.get(source).cloned().unwrap_or_default()
    }

    /// The items of a tree that are below no other one.
    pub(crate) fn tops(&self, source: usize) -> &[usize] {
        self.tops.get(source).map_or(&[], Vec::as_slice)
    }

    /// The items directly below an item in its own tree.
    pub(crate) fn children(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        let first = self.get(index).and_then(|item| item.first);
        std::iter::successors(first, |child| self.get(*child)?.next)
    }

    /// The items at the top of the package that an item includes.
    pub(crate) fn included(&self, index: usize) -> &[usize] {
        let package = self.get(index).and_then(|item| item.package);
        package.map_or(&[], |package| self.tops(package))
    }

    /// True for an item without parts: what a parts list counts.
    pub(crate) fn is_leaf(&self, item: &BomItem<'_>) -> bool {
        item.first.is_none() && item.package.is_none()
    }

    /// The unit of an item's quantity; `None` for pieces.
    pub(crate) fn unit(&self, item: &BomItem<'a>) -> Option<&'a str> {
        item.component.usage.as_deref()?.unit.as_deref()
    }

    /// How often the whole has each item. Linear in the number of items: a package that is included several times is
    /// counted once, and weighed by the number of its includes.
    pub(crate) fn counts(&self) -> Vec<Quantity> {
        let mut weights = vec![Quantity::ZERO; self.input.sources.len()];
        if let Some(first) = weights.first_mut() {
            *first = Quantity::ONE;
        }
        let mut counts = vec![Quantity::ZERO; self.items.len()];
        for source in self.order.iter().copied() {
            for index in self.range(source) {
                let Some(item) = self.get(index) else { continue };
                let above = match item.parent {
                    Some(parent) => counts.get(parent),
                    None => weights.get(source),
                };
                let count = above.map_or(Quantity::ZERO, |above| above.times(item.quantity));
                if let Some(own) = counts.get_mut(index) {
                    *own = count;
                }
                if let Some(weight) = item.package.and_then(|package| weights.get_mut(package)) {
                    *weight = weight.plus(count);
                }
            }
        }
        counts
    }

    /// Adds the components of a tree. Other objects are passed over: what is below them counts as theirs above.
    fn add(&mut self, number: usize, source: &'a BomSource) {
        // The ancestors of the next node, each with the item that it is or hangs below.
        let mut above: Vec<(ObjectId, Option<usize>)> = Vec::new();
        for node in source.nodes() {
            while above.last().is_some_and(|(id, _)| *id != node.parent) {
                above.pop();
            }
            let parent = above.last().and_then(|(_, item)| *item);
            let item = match source.components.get(node.id) {
                Some(component) => Some(self.push(number, parent, (node, component))),
                None => parent,
            };
            above.push((node.id, item));
        }
    }

    fn push(
        &mut self,
        source: usize,
        parent: Option<usize>,
        (node, component): (&'a TreeNode, &'a Component),
    ) -> usize {
        let index = self.items.len();
        let place = self.append(parent, index);
        let parent_key = parent.and_then(|parent| Some(self.items.get(parent)?.key));
        let key = self.numbers.key((node, component), parent_key.map(|key| (key, place)));
        let usage = component.usage.as_deref();
        self.items.push(BomItem {
            node,
            component,
            source,
            parent,
            first: None,
            last: None,
            next: None,
            place,
            key,
            quantity: usage.and_then(|usage| usage.quantity).unwrap_or(Quantity::ONE),
            unit: usage.and_then(|usage| self.numbers.unit(usage)),
            class: 0,
            package: component
                .include
                .as_deref()
                .and_then(|include| Some(self.input.packages.get(include)?.source)),
        });
        index
    }

    /// Appends an item to its siblings; returns its place among them.
    fn append(&mut self, parent: Option<usize>, index: usize) -> usize {
        let Some(item) = parent.and_then(|parent| self.items.get_mut(parent)) else { return 0 };
        let before = item.last.replace(index);
        item.first.get_or_insert(index);
        match before.and_then(|before| self.items.get_mut(before)) {
            Some(before) => {
                before.next = Some(index);
                before.place + 1
            }
            None => 0,
        }
    }

    /// Sorts the trees, each before those that it includes.
    fn sort_sources(&mut self) {
        let links: Vec<Vec<usize>> =
            self.ranges.iter().map(|range| self.packages_of(range.clone())).collect();
        let mut waiting = vec![0_usize; links.len()];
        for target in links.iter().flatten() {
            if let Some(count) = waiting.get_mut(*target) {
                *count += 1;
            }
        }
        let mut ready: Vec<usize> =
            waiting.iter().enumerate().filter(|(_, count)| **count == 0).map(|(number, _)| number).collect();
        while let Some(number) = ready.pop() {
            self.order.push(number);
            for target in links.get(number).into_iter().flatten() {
                let Some(count) = waiting.get_mut(*target) else { continue };
                *count -= 1;
                if *count == 0 {
                    ready.push(*target);
                }
            }
        }
        for item in &mut self.items {
            item.package = item.package.filter(|package| self.order.contains(package));
        }
    }

    /// The trees that a tree's items include.
    fn packages_of(&self, range: Range<usize>) -> Vec<usize> {
        self.items.get(range).into_iter().flatten().filter_map(|item| item.package).collect()
    }

    /// Gives equal classes to items with equal structures, from the leaves up.
    fn classify(&mut self, grouping: BomGrouping) {
        let mut classes: HashMap<(ClassIdentity, ChildList), usize> = HashMap::new();
        // Those of leaves, by their keys: most items are leaves.
        let mut of_leaves: HashMap<usize, (usize, bool)> = HashMap::new();
        // True for an item that consists of known shapes.
        let mut is_shaped = vec![false; self.items.len()];
        for source in self.order.iter().rev().copied().collect::<Vec<_>>() {
            for index in self.range(source).rev() {
                let Some(item) = self.get(index) else { continue };
                let leaf = self.is_leaf(item).then_some(item.key);
                let (class, is_of_shapes) = match leaf.and_then(|key| of_leaves.get(&key).copied()) {
                    Some(known) => known,
                    None => {
                        let (identity, list) = self.structure(index, grouping, &is_shaped);
                        let next = classes.len();
                        let is_of_shapes = !matches!(identity, ClassIdentity::Key(_));
                        let class = *classes.entry((identity, list)).or_insert(next);
                        of_leaves.extend(leaf.map(|key| (key, (class, is_of_shapes))));
                        (class, is_of_shapes)
                    }
                };
                if let (Some(item), Some(shaped)) = (self.items.get_mut(index), is_shaped.get_mut(index)) {
                    item.class = class;
                    *shaped = is_of_shapes;
                }
            }
        }
    }

    /// The identity of an item's class and its children, whose classes are known.
    fn structure(
        &self,
        index: usize,
        grouping: BomGrouping,
        is_shaped: &[bool],
    ) -> (ClassIdentity, ChildList) {
        let children: Vec<usize> = self.children(index).chain(self.included(index).iter().copied()).collect();
        let Some(item) = self.get(index) else { return (ClassIdentity::Key(0), ChildList::new()) };
        let has_shape = |index: &usize| is_shaped.get(*index).copied().unwrap_or_default();
        let by_shape = grouping == BomGrouping::Geometry && item.component.include.is_none();
        let identity = match item.component.shape() {
            Some(shape) if by_shape && children.is_empty() => ClassIdentity::Shape(shape),
            None if by_shape && !children.is_empty() && children.iter().all(has_shape) => {
                ClassIdentity::Arrangement
            }
            _ => ClassIdentity::Key(item.key),
        };
        let list = self.child_list(&children, !matches!(identity, ClassIdentity::Key(_)));
        (identity, list)
    }

    /// The classes of children with their quantities, in an order of their own.
    fn child_list(&self, children: &[usize], with_placements: bool) -> ChildList {
        // Numbers of units and placements begin at 1, so that 0 is that of none.
        let number = |index: usize| u64::try_from(index).unwrap_or(u64::MAX);
        let child = |index: &usize| {
            let item = self.get(*index)?;
            let placement = item.component.placement.filter(|_| with_placements);
            let unit = item.unit.map_or(0, |unit| number(unit).saturating_add(1));
            let placement = placement.map_or(0, |placement| placement.saturating_add(1));
            Some([number(item.class), unit, placement, item.quantity.to_bits()])
        };
        let mut list: Vec<[u64; 4]> = children.iter().filter_map(child).collect();
        list.sort_unstable();
        list.dedup_by(|[class, unit, placement, bits], [kept, kept_unit, kept_placement, sum]| {
            let is_equal = (class, unit, placement) == (kept, kept_unit, kept_placement);
            if is_equal {
                *sum = Quantity::from_bits(*sum).plus(Quantity::from_bits(*bits)).to_bits();
            }
            is_equal
        });
        list.concat()
    }
}
