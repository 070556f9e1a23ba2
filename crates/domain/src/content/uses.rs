//! Where a part, an assembly or a package is used: the assemblies of a tree that hold it, and the products at the top.

use std::collections::{HashMap, HashSet};
use std::iter;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::bom::BomGrouping;
use crate::content::bom::component::{Component, Digest};
use crate::content::bom::items::{BomInput, BomItem, BomItems, BomSource};
use crate::content::bom::quantity::Quantity;
use crate::content::bom::row::name;
use crate::content::object::{CommitHash, INCLUDE_TYPE, Include, PACKAGE_TYPE, Tree};
use crate::id::{ObjectId, ProjectId};

/// Most uses in one project that an answer lists.
pub const USES_MAX: usize = 200;
/// Most objects that a use lists, of each kind.
const OBJECTS_MAX: usize = 20;

/// The thing whose uses are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct UseTarget(TargetKind);

#[derive(Clone, Debug, PartialEq)]
enum TargetKind {
    /// Occurrences of definitions with the same texts, in any shape.
    Definition(Digest),
    /// Occurrences of parts with this shape, under any name.
    Shape(Digest),
    /// Objects of users with this part number, as JSON.
    PartNumber(String),
    /// Occurrences of definitions that are called so, and objects of users with this part number.
    Text(String),
    /// Includes of a package.
    Package(ProjectId, ObjectId),
    /// An object that nothing identifies.
    Object(ObjectId),
}

/// A use: the occurrences of something in equal assemblies of one project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Use {
    /// The assemblies that hold it directly; absent where it is at the top of the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assembly: Option<UsingAssembly>,
    /// Quantity in each of these assemblies; at the top of the tree, in the project.
    pub quantity: Quantity,
    /// Quantity in the project.
    pub total_quantity: Quantity,
    /// Unit of the quantities; absent for pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Number of its occurrences.
    pub object_count: usize,
    /// The first 20 of them, in the order of the tree.
    pub object_ids: Vec<ObjectId>,
    /// The products at the top of the tree that hold it, 20 at most. Empty where it is at the top itself.
    pub products: Vec<UsingProduct>,
    /// The commit to which an include of a package is pinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_hash: Option<CommitHash>,
}

/// Equal assemblies that hold something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsingAssembly {
    /// Name: that of the product, else of the first object.
    pub name: String,
    /// Number of these assemblies.
    pub object_count: usize,
    /// The first 20 of them, in the order of the tree.
    pub object_ids: Vec<ObjectId>,
}

/// A product at the top of a tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsingProduct {
    /// Its object.
    pub object_id: ObjectId,
    /// Name: that of the product, else of the object.
    pub name: String,
}

impl UseTarget {
    /// The target that an object of a tree stands for: its definition, the package that it is or includes, or itself.
    /// `None` if the tree has no such object, or one that nothing uses.
    pub fn of_object(source: &BomSource, object: ObjectId, by: BomGrouping) -> Option<Self> {
        let node = source.snapshot.node(object)?;
        if node.object_type == PACKAGE_TYPE {
            return Some(Self::package(source.project, object));
        }
        let component = source.components.get(object)?;
        if let Some(Include { project_id, package_id, .. }) = component.include.as_deref() {
            return Some(Self::package(*project_id, *package_id));
        }
        let definition = component.definition.as_deref();
        let identity = definition.and_then(|definition| definition.identity);
        let shape = component.shape().filter(|_| by == BomGrouping::Geometry || identity.is_none());
        Some(Self(match (shape, identity, &component.part_number) {
            (Some(shape), ..) => TargetKind::Shape(shape),
            (None, Some(identity), _) => TargetKind::Definition(identity),
            (None, None, Some(number)) if definition.is_none() => TargetKind::PartNumber(number.to_string()),
            (None, None, _) => TargetKind::Object(object),
        }))
    }

    /// A package of a project.
    pub fn package(project: ProjectId, package: ObjectId) -> Self {
        Self(TargetKind::Package(project, package))
    }

    /// Definitions whose id, name or part number is a text, and objects of users with this part number.
    pub fn called(text: &str) -> Self {
        Self(TargetKind::Text(text.to_owned()))
    }

    /// False for a tree without any use, as far as that can be told without the objects' data.
    pub fn may_be_in(&self, tree: &Tree) -> bool {
        match self.0 {
            TargetKind::Package(..) => tree.tree.iter().any(|node| node.object_type == INCLUDE_TYPE),
            _ => !tree.tree.is_empty(),
        }
    }

    fn is(&self, object: ObjectId, component: &Component) -> bool {
        let definition = component.definition.as_deref();
        match &self.0 {
            TargetKind::Definition(identity) => {
                definition.is_some_and(|definition| definition.identity == Some(*identity))
            }
            TargetKind::Shape(shape) => component.shape() == Some(*shape),
            TargetKind::PartNumber(number) => {
                definition.is_none() && component.part_number.as_deref() == Some(number)
            }
            TargetKind::Text(text) => {
                let own =
                    || component.part_number.as_deref().and_then(|json| serde_json::from_str(json).ok());
                let texts = definition.map(|definition| {
                    [&definition.texts.id, &definition.texts.name, &definition.part_number]
                });
                texts.into_iter().flatten().flatten().any(|known| known == text)
                    || own() == Some(Value::String(text.clone()))
            }
            TargetKind::Package(project, package) => component
                .include
                .as_deref()
                .is_some_and(|include| (include.project_id, include.package_id) == (*project, *package)),
            TargetKind::Object(id) => object == *id,
        }
    }
}

/// The uses in a tree, in the order of their first occurrences; at most [`USES_MAX`], and `true` if there are more.
pub fn uses(source: &BomSource, target: &UseTarget) -> (Vec<Use>, bool) {
    let is_used = |id: ObjectId| source.components.get(id).is_some_and(|component| target.is(id, component));
    if !source.nodes().iter().any(|node| is_used(node.id)) {
        return (Vec::new(), false);
    }
    let input = BomInput { sources: vec![source.clone()], packages: HashMap::new() };
    let items = BomItems::of(&input, BomGrouping::Definition);
    let counts = items.counts();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut places = HashMap::new();
    for (index, item) in items.items.iter().enumerate() {
        if !target.is(item.node.id, item.component) {
            continue;
        }
        let above = item.parent.and_then(|parent| Some(items.get(parent)?.class));
        let commit = item.component.include.as_deref().map(|include| include.commit_hash);
        let place = *places.entry((above, item.unit, commit)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    let all = groups.len();
    let uses = groups.iter().take(USES_MAX).filter_map(|group| of_group(&items, group, &counts));
    (uses.collect(), all > USES_MAX)
}

/// The use of occurrences in equal assemblies.
fn of_group(items: &BomItems<'_>, group: &[usize], counts: &[Quantity]) -> Option<Use> {
    let first = items.get(*group.first()?)?;
    let found = || group.iter().filter_map(|index| items.get(*index));
    let in_first = found().filter(|item| item.parent == first.parent);
    let mut above = HashSet::new();
    let assemblies: Vec<usize> =
        found().filter_map(|item| item.parent).filter(|parent| above.insert(*parent)).collect();
    let sum =
        |quantities: &mut dyn Iterator<Item = Quantity>| quantities.fold(Quantity::ZERO, Quantity::plus);
    Some(Use {
        quantity: sum(&mut in_first.map(|item| item.quantity)),
        total_quantity: sum(&mut group.iter().filter_map(|index| counts.get(*index)).copied()),
        unit: items.unit(first).map(str::to_owned),
        object_count: group.len(),
        object_ids: ids(items, group),
        products: products(items, found()),
        commit_hash: first.component.include.as_deref().map(|include| include.commit_hash),
        assembly: first.parent.and_then(|parent| items.get(parent)).map(|assembly| UsingAssembly {
            name: name(items, assembly),
            object_count: assemblies.len(),
            object_ids: ids(items, &assemblies),
        }),
    })
}

fn ids(items: &BomItems<'_>, indices: &[usize]) -> Vec<ObjectId> {
    let listed = indices.iter().take(OBJECTS_MAX).filter_map(|index| items.get(*index));
    listed.map(|item| item.node.id).collect()
}

/// The items at the top of the tree above some items, without these.
fn products<'i, 'a: 'i>(
    items: &'i BomItems<'a>,
    found: impl Iterator<Item = &'i BomItem<'a>>,
) -> Vec<UsingProduct> {
    let mut known = HashSet::new();
    let top = |item: &'i BomItem<'a>| {
        iter::successors(items.get(item.parent?), |below| items.get(below.parent?)).last()
    };
    let tops = found.filter_map(top).filter(|top| known.insert(top.node.id)).take(OBJECTS_MAX);
    tops.map(|top| UsingProduct { object_id: top.node.id, name: name(items, top) }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{UseTarget, uses};
    use crate::content::bom::BomGrouping;
    use crate::content::bom::items::BomSource;
    use crate::content::bom::tests::{Given, assembly, id, including, part, source};

    /// The uses as lines: assemblies with their number, quantities, products.
    fn lines(source: &BomSource, target: &UseTarget) -> Vec<String> {
        let line = |found: &super::Use| {
            let assembly = found.assembly.as_ref();
            let above =
                assembly.map_or_else(String::new, |above| format!("{}×{} ", above.object_count, above.name));
            let products: Vec<&str> = found.products.iter().map(|product| product.name.as_str()).collect();
            format!("{above}{}/{} in {products:?}", found.quantity, found.total_quantity)
        };
        uses(source, target).0.iter().map(line).collect()
    }

    fn of(source: &BomSource, object: u128, by: BomGrouping) -> Option<UseTarget> {
        UseTarget::of_object(source, id(object), by)
    }

    fn workshop() -> BomSource {
        let bolt = |geometry: &str| part(json!({ "id": "B-1", "name": "bolt", "geometry": geometry }));
        let objects: Vec<Given<'_>> = vec![
            (1, 0, "Model", json!({ "type": "Package" })),
            (2, 1, "machine", assembly("machine")),
            (3, 2, "pair 1", assembly("pair")),
            (4, 3, "bolt", bolt("a")),
            (5, 3, "bolt", bolt("a")),
            (6, 2, "pair 2", assembly("pair")),
            (7, 6, "bolt", bolt("a")),
            (8, 6, "bolt", bolt("a")),
            (9, 2, "bolt", bolt("b")),
            (10, 1, "spare", bolt("a")),
            (11, 2, "screw", part(json!({ "name": "screw", "geometry": "a" }))),
            (12, 2, "gears", including(900)),
            (13, 1, "own", json!({ "type": "Part", "data": { "partNumber": "4711" } })),
            (14, 2, "other", json!({ "type": "Part", "data": { "part number": "4711" } })),
            (15, 2, "plain", json!({ "type": "Part", "data": {} })),
        ];
        source(&objects)
    }

    #[test]
    fn uses_are_the_assemblies_that_hold_a_definition() {
        let source = workshop();
        let bolt = of(&source, 10, BomGrouping::Definition).unwrap();
        assert_eq!(
            lines(&source, &bolt),
            ["2×pair 2/4 in [\"machine\"]", "1×machine 1/1 in [\"machine\"]", "1/1 in []"]
        );
        let shape = of(&source, 4, BomGrouping::Geometry).unwrap();
        // The screw has the same shape, the other bolt hasn't.
        assert_eq!(lines(&source, &shape), lines(&source, &bolt));
        let pair = of(&source, 6, BomGrouping::Definition).unwrap();
        assert_eq!(lines(&source, &pair), ["1×machine 2/2 in [\"machine\"]"]);
    }

    #[test]
    fn a_text_finds_ids_names_and_part_numbers() {
        let source = workshop();
        for (text, uses) in [("B-1", 3), ("bolt", 3), ("4711", 2), ("machine", 1), ("Bolt", 0), ("", 0)] {
            assert_eq!(lines(&source, &UseTarget::called(text)).len(), uses, "{text}");
        }
        let own = of(&source, 13, BomGrouping::Definition).unwrap();
        assert_eq!(lines(&source, &own), ["1×machine 1/1 in [\"machine\"]", "1/1 in []"]);
        let plain = of(&source, 15, BomGrouping::Definition).unwrap();
        assert_eq!(lines(&source, &plain), ["1×machine 1/1 in [\"machine\"]"]);
    }

    #[test]
    fn a_package_is_used_by_its_includes() {
        let source = workshop();
        let package = UseTarget::package(source.project, id(900));
        assert_eq!(of(&source, 12, BomGrouping::Definition), Some(package.clone()));
        assert_eq!(lines(&source, &package), ["1×machine 1/1 in [\"machine\"]"]);
        assert!(uses(&source, &package).0[0].commit_hash.is_some());
        assert!(package.may_be_in(&source.snapshot.tree));
        let own = of(&source, 1, BomGrouping::Definition).unwrap();
        assert_eq!(own, UseTarget::package(source.project, id(1)));
        assert_eq!(lines(&source, &own), Vec::<String>::new());
        assert_eq!(of(&source, 77, BomGrouping::Definition), None);
    }

    #[test]
    fn an_answer_has_at_most_200_uses() {
        let mut objects: Vec<(u128, u128, String, Value)> = Vec::new();
        for number in 1..=300 {
            objects.push((number * 10, 0, format!("a{number}"), assembly(&format!("a{number}"))));
            objects.push((number * 10 + 1, number * 10, "bolt".to_owned(), part(json!({ "name": "bolt" }))));
        }
        let given: Vec<Given<'_>> = objects
            .iter()
            .map(|(id, above, name, record)| (*id, *above, name.as_str(), record.clone()))
            .collect();
        let (found, is_cut) = uses(&source(&given), &UseTarget::called("bolt"));
        assert!(is_cut);
        assert_eq!(found.len(), 200);
    }
}
