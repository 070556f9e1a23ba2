//! Warnings of a bill of materials: what a person should look at before parts are ordered by it.

use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::component::Digest;
use super::items::{BomItem, BomItems};
use super::row::{BomObject, OBJECTS_MAX, object};

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BomWarning {
    /// The kind, for programs.
    pub kind: BomWarningKind,
    /// The warning in a sentence; its wording may change.
    pub message: String,
    /// Number of objects that it is about.
    pub object_count: usize,
    /// The first 20 of these objects.
    pub objects: Vec<BomObject>,
}

/// The kind of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BomWarningKind {
    /// Equal parts are at one placement: an export may have doubled them. All of them are counted.
    Doubled,
    /// Parts of one id, name and version have different shapes. Each shape has a row of its own.
    DifferentShapes,
    /// Included packages can't be read. Their parts are not counted.
    UnavailablePackages,
    /// Usages have a quantity that is no quantity. They count as one.
    InvalidQuantities,
    /// There are more rows than a bill has. A root, a depth or a parts list has fewer.
    RowsLeftOut,
    /// The objects have more data than is read. Properties may lack values.
    DataLeftOut,
}

impl BomWarningKind {
    fn message(self) -> &'static str {
        match self {
            Self::Doubled => {
                "Equal parts are at one placement. They are counted; an export may have doubled them."
            }
            Self::DifferentShapes => {
                "Parts of one id, name and version have different shapes: one row for each shape."
            }
            Self::UnavailablePackages => "Included packages can't be read, so their parts are not counted.",
            Self::InvalidQuantities => "Usages have a quantity that is no quantity, and count as one.",
            Self::RowsLeftOut => {
                "There are more rows than a bill has. Choose a root, a depth, or the flat view."
            }
            Self::DataLeftOut => "The objects have more data than is read, so properties may lack values.",
        }
    }
}

/// The warnings of a bill.
pub(super) fn warnings(items: &BomItems<'_>, has_all_rows: bool) -> Vec<BomWarning> {
    let of_kind = |is_of_kind: &dyn Fn(&BomItem<'_>) -> bool| {
        items.items.iter().filter(|item| is_of_kind(item)).collect::<Vec<_>>()
    };
    let is_unavailable = |item: &BomItem<'_>| item.component.include.is_some() && item.package.is_none();
    let is_invalid =
        |item: &BomItem<'_>| item.component.usage.as_deref().is_some_and(|usage| usage.quantity.is_none());
    let about = [
        (BomWarningKind::Doubled, doubled(items)),
        (BomWarningKind::DifferentShapes, different_shapes(items)),
        (BomWarningKind::UnavailablePackages, of_kind(&is_unavailable)),
        (BomWarningKind::InvalidQuantities, of_kind(&is_invalid)),
    ];
    let mut warnings: Vec<BomWarning> = about
        .into_iter()
        .filter(|(_, found)| !found.is_empty())
        .map(|(kind, found)| warning(items, kind, &found))
        .collect();
    if !has_all_rows {
        warnings.push(warning(items, BomWarningKind::RowsLeftOut, &[]));
    }
    if items.input.sources.iter().any(|source| source.components.is_cut()) {
        warnings.push(warning(items, BomWarningKind::DataLeftOut, &[]));
    }
    warnings
}

fn warning(items: &BomItems<'_>, kind: BomWarningKind, found: &[&BomItem<'_>]) -> BomWarning {
    BomWarning {
        kind,
        message: kind.message().to_owned(),
        object_count: found.len(),
        objects: found.iter().take(OBJECTS_MAX).map(|item| object(items, item)).collect(),
    }
}

/// The items that stand in another one: of the same shape or class, below the same parent, at the same placement.
fn doubled<'i, 'a>(items: &'i BomItems<'a>) -> Vec<&'i BomItem<'a>> {
    let mut doubled = Vec::new();
    let mut siblings = Vec::new();
    let tops = items.order.iter().flat_map(|source| items.tops(*source)).copied();
    add_doubled(items, tops, &mut siblings, &mut doubled);
    for index in 0..items.items.len() {
        add_doubled(items, items.children(index), &mut siblings, &mut doubled);
    }
    doubled.sort_unstable();
    doubled.into_iter().filter_map(|index| items.get(index)).collect()
}

/// The traits of an item that only doubled ones share: placement, shape, class.
type PlacedItem = (u64, Option<Digest>, Option<usize>, usize);

/// Adds those of some siblings that stand in another one. `placed` is room that is used again.
fn add_doubled(
    items: &BomItems<'_>,
    siblings: impl Iterator<Item = usize>,
    placed: &mut Vec<PlacedItem>,
    doubled: &mut Vec<usize>,
) {
    placed.clear();
    placed.extend(siblings.filter_map(|index| {
        let item = items.get(index)?;
        // A shape where it is known: one part may be two products.
        let shape = item.component.shape();
        Some((item.component.placement?, shape, shape.is_none().then_some(item.class), index))
    }));
    placed.sort_unstable();
    let pairs = placed.iter().zip(placed.iter().skip(1));
    let again = pairs
        .filter(|((place, shape, class, _), other)| (*place, *shape, *class) == (other.0, other.1, other.2));
    doubled.extend(again.map(|(_, (.., index))| *index));
}

/// The first item of each of several definitions that differ in their shape alone.
fn different_shapes<'i, 'a>(items: &'i BomItems<'a>) -> Vec<&'i BomItem<'a>> {
    let mut keys = HashSet::new();
    let mut firsts: HashMap<_, Vec<&BomItem<'a>>> = HashMap::new();
    for item in items.items.iter().filter(|item| keys.insert(item.key)) {
        let identity = item.component.definition.as_deref().and_then(|definition| definition.identity);
        if let Some(identity) = identity.filter(|_| item.component.shape().is_some()) {
            firsts.entry(identity).or_default().push(item);
        }
    }
    let mut found: Vec<_> = firsts.into_values().filter(|items| items.len() > 1).flatten().collect();
    found.sort_by_key(|item| (item.source, item.node.id));
    found
}
