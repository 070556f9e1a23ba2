//! Pairs the objects of two versions of a file that are the same.
//!
//! No number in a design survives an export, and the name of a product may follow one of its uses. So siblings are
//! paired in rounds, from the traits that tell the most to those that tell the least.

use std::collections::{HashMap, HashSet, VecDeque};
use std::mem;

use serde_json::Value;

use self::Trait::{Geometry, Occurrence, Placement, Product};
use super::StoredObject;
use crate::content::design::given;
use crate::content::object::Object;
use crate::id::ObjectId;

/// Traits that two objects must have in common, by rounds. The first of [`SEVERAL`] rounds need two of them.
const ROUNDS: [&[Trait]; 10] = [
    &[Occurrence, Placement, Geometry],
    &[Occurrence, Placement, Product],
    &[Occurrence, Geometry],
    &[Occurrence, Product],
    &[Occurrence, Placement],
    &[Placement, Geometry],
    &[Placement, Product],
    &[Occurrence],
    &[Geometry],
    &[Product],
];
const SEVERAL: usize = 7;

/// Steps of a coordinate within which placements are the same, in units of the assembly.
const PLACEMENT_STEPS: f64 = 1e6;

/// The pairs of two versions.
#[derive(Default)]
pub(super) struct Pairs {
    /// For each object of the new version the index of the old one that it is.
    pub(super) old: Vec<Option<usize>>,
    /// Number of pairs that nothing but their order has made.
    pub(super) by_order: usize,
    is_taken: Vec<bool>,
}

/// A trait of an object that survives an export.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trait {
    /// Name of the occurrence.
    Occurrence,
    /// Placement in the parent.
    Placement,
    /// Hash of the geometry.
    Geometry,
    /// Name of the product; products without a name are alike.
    Product,
}

/// The first three rows of a placement, rounded.
type Rows = [u64; 12];

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SharedTraits<'a> {
    object_type: &'a str,
    occurrence: Option<&'a str>,
    placement: Option<Rows>,
    geometry: Option<&'a str>,
    product: Option<&'a str>,
}

/// An object to pair.
struct Item<'a> {
    id: ObjectId,
    parent: ObjectId,
    /// Index in its version.
    index: usize,
    traits: SharedTraits<'a>,
}

/// Objects of both versions with the same traits.
#[derive(Default)]
struct UnmatchedSiblings<'a> {
    old: Vec<&'a Item<'a>>,
    new: Vec<&'a Item<'a>>,
}

/// Pairs the parts of `old` with the objects of `new`, both parents before children; `owners` own the two files.
///
/// An object stays below the one that its parent is. Only an object that is alone with its traits is found elsewhere.
pub(super) fn pair(owners: (ObjectId, ObjectId), old: &[StoredObject], new: &[Object]) -> Pairs {
    let old: Vec<Item<'_>> = old.iter().enumerate().map(|(index, part)| Item::of(index, &part.now)).collect();
    let new: Vec<Item<'_>> = new.iter().enumerate().map(|(index, object)| Item::of(index, object)).collect();
    let mut pairs = Pairs { old: vec![None; new.len()], by_order: 0, is_taken: vec![false; old.len()] };
    let (mut old_below, mut new_below) = (by_parent(&old), by_parent(&new));
    let mut parents = VecDeque::from([owners]);
    pair_below(&mut parents, &mut old_below, &mut new_below, &mut pairs);
    // What has moved to another parent, and then what is below it.
    let old_left = old.iter().filter(|item| !pairs.takes(item)).collect();
    let new_left = new.iter().filter(|item| !pairs.has(item)).collect();
    pair_moved(UnmatchedSiblings { old: old_left, new: new_left }, &mut pairs);
    let moved = new.iter().filter_map(|item| Some((old.get((*pairs.old.get(item.index)?)?)?.id, item.id)));
    parents.extend(moved.collect::<Vec<_>>());
    pair_below(&mut parents, &mut old_below, &mut new_below, &mut pairs);
    pairs
}

/// Pairs the children of paired parents, from the top down.
fn pair_below<'a>(
    parents: &mut VecDeque<(ObjectId, ObjectId)>,
    old_below: &mut HashMap<ObjectId, Vec<&'a Item<'a>>>,
    new_below: &mut HashMap<ObjectId, Vec<&'a Item<'a>>>,
    pairs: &mut Pairs,
) {
    while let Some((old, new)) = parents.pop_front() {
        let (Some(old), Some(new)) = (old_below.remove(&old), new_below.remove(&new)) else { continue };
        pair_siblings(&old, &new, pairs);
        let ids: HashMap<usize, ObjectId> = old.iter().map(|item| (item.index, item.id)).collect();
        let paired = new.iter().filter_map(|item| {
            let old = pairs.old.get(item.index).copied().flatten()?;
            Some((*ids.get(&old)?, item.id))
        });
        parents.extend(paired);
    }
}

/// Pairs siblings, and counts those that only their order tells apart.
fn pair_siblings<'a>(old: &[&'a Item<'a>], new: &[&'a Item<'a>], pairs: &mut Pairs) {
    let mut rest = UnmatchedSiblings { old: old.to_vec(), new: new.to_vec() };
    rest.drop_paired(pairs);
    for round in ROUNDS {
        if rest.old.is_empty() || rest.new.is_empty() {
            return;
        }
        // Where names have told the uses of a product apart, another name is another use.
        let labelled: HashSet<SharedTraits<'a>> = match round {
            [Geometry | Product] => {
                let taken = old.iter().filter(|item| pairs.takes(item));
                let paired = taken.chain(new.iter().filter(|item| pairs.has(item)));
                paired
                    .filter(|item| item.traits.occurrence.is_some())
                    .filter_map(|item| item.traits.of(round))
                    .collect()
            }
            _ => HashSet::new(),
        };
        let key = |item: &'a Item<'a>| {
            let key = item.traits.of(round)?;
            (item.traits.occurrence.is_none() || !labelled.contains(&key)).then_some(key)
        };
        for group in groups(&rest, key) {
            if !group.is_clear() {
                pairs.by_order += group.old.len().min(group.new.len());
            }
            group.old.iter().zip(&group.new).for_each(|(old, new)| pairs.add(old, new));
        }
        rest.drop_paired(pairs);
    }
}

/// Pairs objects that are alone with their traits in both versions, wherever they are.
fn pair_moved(mut rest: UnmatchedSiblings<'_>, pairs: &mut Pairs) {
    for round in ROUNDS.iter().take(SEVERAL) {
        let alone = |group: &UnmatchedSiblings<'_>| group.old.len() == 1 && group.new.len() == 1;
        for group in groups(&rest, |item| item.traits.of(round)).into_iter().filter(alone) {
            group.old.iter().zip(&group.new).for_each(|(old, new)| pairs.add(old, new));
        }
        rest.drop_paired(pairs);
    }
}

/// The groups with the same key that have objects of both versions.
fn groups<'a>(
    all: &UnmatchedSiblings<'a>,
    key: impl Fn(&'a Item<'a>) -> Option<SharedTraits<'a>>,
) -> Vec<UnmatchedSiblings<'a>> {
    let mut groups: HashMap<SharedTraits<'a>, UnmatchedSiblings<'a>> = HashMap::new();
    for item in all.old.iter().copied() {
        if let Some(key) = key(item) {
            groups.entry(key).or_default().old.push(item);
        }
    }
    for item in all.new.iter().copied() {
        if let Some(group) = key(item).and_then(|key| groups.get_mut(&key)) {
            group.new.push(item);
        }
    }
    groups.into_values().filter(|group| !group.new.is_empty()).collect()
}

fn by_parent<'a>(items: &'a [Item<'a>]) -> HashMap<ObjectId, Vec<&'a Item<'a>>> {
    let mut below: HashMap<ObjectId, Vec<&'a Item<'a>>> = HashMap::new();
    for item in items {
        below.entry(item.parent).or_default().push(item);
    }
    below
}

impl UnmatchedSiblings<'_> {
    fn drop_paired(&mut self, pairs: &Pairs) {
        self.old.retain(|item| !pairs.takes(item));
        self.new.retain(|item| !pairs.has(item));
    }

    /// True if the pairs are certain: one of each version, or as many twins that no trait tells apart, so that an
    /// exchange changes nothing.
    fn is_clear(&self) -> bool {
        let first = self.old.first().map(|item| item.traits);
        let mut all = self.old.iter().chain(&self.new);
        self.old.len() == self.new.len()
            && (self.old.len() == 1 || all.all(|item| Some(item.traits) == first))
    }
}

impl Pairs {
    fn add(&mut self, old: &Item<'_>, new: &Item<'_>) {
        if let (Some(is_taken), Some(pair)) = (self.is_taken.get_mut(old.index), self.old.get_mut(new.index))
            && !mem::replace(is_taken, true)
        {
            *pair = Some(old.index);
        }
    }

    /// True if the new object has its pair.
    fn has(&self, new: &Item<'_>) -> bool {
        self.old.get(new.index).is_some_and(Option::is_some)
    }

    /// True if the old object has its pair.
    fn takes(&self, old: &Item<'_>) -> bool {
        self.is_taken.get(old.index).is_some_and(|is_taken| *is_taken)
    }
}

impl<'a> Item<'a> {
    fn of(index: usize, object: &'a Object) -> Self {
        Self { id: object.id, parent: object.parent, index, traits: SharedTraits::of_object(object) }
    }
}

impl<'a> SharedTraits<'a> {
    fn of_object(object: &'a Object) -> Self {
        let data = &object.data;
        let product = match data.contains_key("definition") {
            true => given(data, "definition", "name").or_else(|| given(data, "definition", "id")),
            // A page.
            false => Some(object.name.as_str()),
        };
        Self {
            object_type: &object.object_type,
            occurrence: given(data, "occurrence", "name"),
            placement: data.get("placement").and_then(rows),
            geometry: given(data, "definition", "geometry"),
            product,
        }
    }

    /// The traits that count in a round; `None` if one is missing.
    fn of(&self, round: &[Trait]) -> Option<Self> {
        let counts = |one: Trait| round.contains(&one);
        let is_there = |one: Trait| match one {
            Occurrence => self.occurrence.is_some(),
            Placement => self.placement.is_some(),
            Geometry => self.geometry.is_some(),
            Product => true,
        };
        round.iter().all(|one| is_there(*one)).then(|| Self {
            object_type: self.object_type,
            occurrence: self.occurrence.filter(|_| counts(Occurrence)),
            placement: self.placement.filter(|_| counts(Placement)),
            geometry: self.geometry.filter(|_| counts(Geometry)),
            product: self.product.filter(|_| counts(Product)),
        })
    }
}

/// The rows of a placement, rounded so that the last digits of an export don't count.
fn rows(placement: &Value) -> Option<Rows> {
    let mut numbers = placement.as_array()?.iter().take(3).filter_map(Value::as_array).flatten();
    let mut rows = Rows::default();
    for slot in &mut rows {
        let number = (numbers.next()?.as_f64()? * PLACEMENT_STEPS).round();
        // Zero has one sign.
        *slot = (number + 0.0).to_bits();
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::StoredObject;
    use super::{Pairs, pair};
    use crate::content::object::Object;
    use crate::id::ObjectId;

    fn id(number: usize) -> ObjectId {
        format!("0198c5f0-0000-7000-8000-{number:012}").parse().unwrap()
    }

    /// A part below the object with this number.
    fn part(number: usize, parent: usize, object_type: &str, data: &Value) -> Object {
        let object = json!({
            "id": id(number), "parent": id(parent), "type": object_type, "name": "a", "kind": "geometry", "data": data,
        });
        serde_json::from_value(object).unwrap()
    }

    fn paired(old: Vec<Object>, new: &[Object]) -> Pairs {
        let old: Vec<StoredObject> = old.into_iter().map(|now| StoredObject { now, head: None }).collect();
        pair((id(0), id(100)), &old, new)
    }

    /// Pairs of siblings with these data, by their indices, and how many are uncertain.
    fn siblings(old: &[Value], new: &[Value]) -> (Vec<Option<usize>>, usize) {
        let parts = |all: &[Value], parent: usize| -> Vec<Object> {
            all.iter()
                .enumerate()
                .map(|(index, data)| part(parent + 1 + index, parent, "Part", data))
                .collect()
        };
        let pairs = paired(parts(old, 0), &parts(new, 100));
        (pairs.old, pairs.by_order)
    }

    /// A bolt at a place.
    fn bolt(occurrence: Option<&str>, product: &str, x: f64, geometry: Option<&str>) -> Value {
        let mut data = json!({
            "definition": { "id": product, "name": product },
            "placement": [[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        });
        if let Some(name) = occurrence {
            data["occurrence"] = json!({ "name": name });
        }
        if let Some(geometry) = geometry {
            data["definition"]["geometry"] = json!(geometry);
        }
        data
    }

    #[test]
    fn names_of_occurrences_come_first() {
        let old = [bolt(Some("a"), "b", 1.0, Some("g")), bolt(Some("b"), "b", 2.0, Some("g"))];
        // Exchanged in place, with another name of their product.
        let new = [bolt(Some("b"), "a", 1.0, Some("g")), bolt(Some("a"), "a", 2.0, Some("g"))];
        assert_eq!(siblings(&old, &new), (vec![Some(1), Some(0)], 0));
        // One goes, and another one comes: that one is no old one.
        let new = [bolt(Some("c"), "c", 3.0, Some("g")), bolt(Some("a"), "c", 1.0, Some("g"))];
        assert_eq!(siblings(&old, &new), (vec![None, Some(0)], 0));
        // Only renamed.
        let new = [bolt(Some("c"), "c", 2.0, Some("g")), bolt(Some("a"), "c", 1.0, Some("g"))];
        assert_eq!(siblings(&old, &new), (vec![Some(1), Some(0)], 0));
    }

    #[test]
    fn names_may_repeat() {
        let old = [1.0, 2.0, 3.0].map(|x| bolt(Some("bolt"), "bolt", x, None));
        let new = [3.0, 1.0].map(|x| bolt(Some("bolt"), "bolt", x + 1e-9, None));
        assert_eq!(siblings(&old, &new), (vec![Some(2), Some(0)], 0));
        // Moved, all three: only their order is left.
        let new = [4.0, 5.0].map(|x| bolt(Some("bolt"), "bolt", x, None));
        assert_eq!(siblings(&old, &new), (vec![Some(0), Some(1)], 2));
        // Twins in one place, whose exchange changes nothing.
        let twins = [1.0, 1.0].map(|x| bolt(None, "bolt", x, Some("g")));
        assert_eq!(siblings(&twins, &twins), (vec![Some(0), Some(1)], 0));
    }

    #[test]
    fn parts_without_names_are_known_by_place_then_geometry_then_product() {
        let none = "SOLID";
        let old = [
            bolt(None, none, 1.0, Some("g")),
            bolt(None, none, 2.0, Some("h")),
            bolt(None, "nut", 3.0, None),
            bolt(None, "Open CASCADE STEP translator 7.8 1.4", 4.0, None),
        ];
        let new = [
            bolt(None, "nut", 9.0, Some("n")),
            bolt(Some("=>[0:1:1:3]"), none, 8.0, Some("h")),
            bolt(None, none, 1.0, Some("other")),
            bolt(None, "Open CASCADE STEP translator 7.8 2.4", 4.0, Some("i")),
        ];
        assert_eq!(siblings(&old, &new), (vec![Some(2), Some(1), Some(0), Some(3)], 0));
    }

    #[test]
    fn a_part_that_is_alone_with_its_traits_is_found_below_another_parent() {
        let assembly = |number, parent, name: &str| {
            part(
                number,
                parent,
                "Assembly",
                &json!({ "definition": { "name": name }, "occurrence": { "name": name } }),
            )
        };
        let leaf =
            |number, parent, name: &str| part(number, parent, "Part", &bolt(Some(name), "bolt", 1.0, None));
        let old = vec![assembly(1, 0, "sub"), leaf(2, 0, "pin"), leaf(3, 1, "in"), leaf(4, 1, "in")];
        // The file has a root more.
        let new = [
            assembly(101, 100, "top"),
            assembly(102, 101, "sub"),
            leaf(103, 101, "pin"),
            leaf(104, 102, "in"),
        ];
        let pairs = paired(old, &new);
        assert_eq!(pairs.old, [None, Some(0), Some(1), Some(2)]);
        assert_eq!(pairs.by_order, 1, "two of a name in one place");
    }

    #[test]
    fn parts_and_assemblies_are_never_the_same() {
        let data = bolt(Some("a"), "b", 1.0, Some("g"));
        let pairs = paired(vec![part(1, 0, "Part", &data)], &[part(101, 100, "Assembly", &data)]);
        assert_eq!(pairs.old, [None]);
    }
}
