//! Identities of items: what each is an occurrence of, as a number that equal ones share.

use std::collections::HashMap;

use super::component::{Component, Components, Digest, PartDefinition, UsageQuantity};
use crate::content::object::{Include, TreeNode};
use crate::id::ObjectId;

/// The identity of what an item is an occurrence of.
#[derive(PartialEq, Eq, Hash)]
enum ItemKey<'a> {
    /// The texts by which people tell definitions apart, and the shape.
    Definition(Digest, Option<Digest>),
    /// A nameless shape.
    Shape(Digest),
    /// A user's own part number, as JSON.
    PartNumber(&'a str),
    Package(&'a Include),
    /// A nameless part by its place in an assembly, because each occurrence of that has one.
    Place(usize, usize),
    /// An object that nothing identifies.
    Object(ObjectId),
}

/// Numbers of keys and units.
#[derive(Default)]
pub(super) struct Numbers<'a> {
    keys: HashMap<ItemKey<'a>, usize>,
    units: HashMap<&'a str, usize>,
    /// The keys of the present tree's definitions, by their numbers.
    definitions: Vec<Option<usize>>,
}

impl<'a> Numbers<'a> {
    /// Begins a tree with these components.
    pub(super) fn begin(&mut self, components: &Components) {
        self.definitions = vec![None; components.definitions];
    }

    /// The number of an item's key. `place` is its parent's key with its place there.
    pub(super) fn key(
        &mut self,
        (node, component): (&TreeNode, &'a Component),
        place: Option<(usize, usize)>,
    ) -> usize {
        let Component { include, definition, part_number, .. } = component;
        let key = match (include, definition, part_number) {
            (Some(include), ..) => ItemKey::Package(include),
            (None, Some(definition), _) => match (definition.identity, definition.shape, place) {
                (None, None, Some((parent, place))) => ItemKey::Place(parent, place),
                (None, None, None) => ItemKey::Object(node.id),
                (Some(_), ..) | (None, Some(_), _) => return self.definition(definition),
            },
            (None, None, Some(number)) => ItemKey::PartNumber(number),
            (None, None, None) => ItemKey::Object(node.id),
        };
        self.number(key)
    }

    /// The number of a usage's unit; `None` for pieces.
    pub(super) fn unit(&mut self, usage: &'a UsageQuantity) -> Option<usize> {
        let next = self.units.len();
        Some(*self.units.entry(usage.unit.as_deref()?).or_insert(next))
    }

    fn definition(&mut self, definition: &PartDefinition) -> usize {
        if let Some(known) = self.definitions.get(definition.number).copied().flatten() {
            return known;
        }
        let number = self.number(match (definition.identity, definition.shape) {
            (Some(identity), shape) => ItemKey::Definition(identity, shape),
            (None, shape) => ItemKey::Shape(shape.unwrap_or_default()),
        });
        if let Some(known) = self.definitions.get_mut(definition.number) {
            *known = Some(number);
        }
        number
    }

    fn number(&mut self, key: ItemKey<'a>) -> usize {
        let next = self.keys.len();
        *self.keys.entry(key).or_insert(next)
    }
}
