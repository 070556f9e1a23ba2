//! The rows of a bill, as clients read them.

use std::collections::BTreeMap;
use std::iter;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::column::{BomColumn, BomColumns, FoundValue};
use super::component::BomDefinition;
use super::items::{BomItem, BomItems};
use super::quantity::Quantity;
use crate::content::object::{CommitHash, INCLUDE_TYPE, Include};
use crate::id::{ObjectId, ProjectId};
use crate::text::Name;

/// Most objects that a row or a warning lists.
pub(super) const OBJECTS_MAX: usize = 20;
/// Most different values of a property that a row lists.
const VALUES_MAX: usize = 10;

/// A row of a bill of materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BomRow {
    /// Levels above it: 0 at the top, and in a parts list.
    pub level: u32,
    /// Name: that of the product, else of the first object.
    pub name: String,
    /// Type of the first object: `Assembly`, `Part`, `Include`, or a user's own.
    #[serde(rename = "type")]
    pub object_type: String,
    /// The definition that its objects are occurrences of; absent for a user's own objects without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Arc<BomDefinition>>,
    /// Quantity in each one of the row above; at the top, and in a parts list, in the whole.
    pub quantity: Quantity,
    /// Quantity in the whole.
    pub total_quantity: Quantity,
    /// Unit of the quantities; absent for pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Number of objects that it stands for. Those of a package count once, however often it is included.
    pub object_count: usize,
    /// The first 20 of these objects, in the order of the tree.
    pub objects: Vec<BomObject>,
    /// The package of an include.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Include>,
    /// False for an include whose package is withdrawn, deleted or out of reach, or beyond the 100 that a bill reads:
    /// not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available: Option<bool>,
    /// The chosen properties by name, each with its different values among the objects, 10 at most. A property without
    /// a value is absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<Arc<str>, Vec<Value>>,
}

/// An object of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BomObject {
    /// Its id.
    pub id: ObjectId,
    /// The project of an included package that it belongs to; absent for the bill's own project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The commit at which that package is included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit_hash: Option<CommitHash>,
}

/// Items of one class that a row stands for.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RowGroup {
    pub(super) items: Vec<usize>,
    pub(super) level: u32,
    pub(super) quantity: Quantity,
    pub(super) total: Quantity,
}

/// The row of a group; `None` for a group without items.
pub(super) fn row(items: &BomItems<'_>, group: &RowGroup, columns: &BomColumns) -> Option<BomRow> {
    let first = items.get(*group.items.first()?)?;
    let is_include = first.component.include.is_some();
    let listed = group.items.iter().take(OBJECTS_MAX).filter_map(|index| items.get(*index));
    let properties = columns.iter().filter_map(|column| {
        let values = values(items, group, column);
        (!values.is_empty()).then(|| (Arc::clone(column.name()), values))
    });
    Some(BomRow {
        level: group.level,
        name: name(items, first),
        object_type: if is_include { INCLUDE_TYPE.to_owned() } else { first.node.object_type.clone() },
        definition: first.component.definition.as_deref().map(|definition| Arc::clone(&definition.texts)),
        quantity: group.quantity,
        total_quantity: group.total,
        unit: items.unit(first).map(str::to_owned),
        object_count: group.items.len(),
        objects: listed.map(|item| object(items, item)).collect(),
        include: first.component.include.as_deref().cloned(),
        available: is_include.then_some(first.package.is_some()),
        properties: properties.collect(),
    })
}

/// The name of an item: that of its product, else its own. An item that is called by its file, because nothing names
/// it, has the name of the assembly that holds it.
pub(crate) fn name(items: &BomItems<'_>, item: &BomItem<'_>) -> String {
    let above = iter::successors(Some(item), |below| items.get(below.parent?));
    let named = above.clone().find_map(|item| {
        let definition = item.component.definition.as_deref()?;
        let BomDefinition { name, id, .. } = &*definition.texts;
        let product = name.as_ref().or(id.as_ref()).or(definition.part_number.as_ref());
        product
            .map(String::as_str)
            .or_else(|| (!is_called_by_file(items, item)).then(|| item.node.name.as_str()))
    });
    match (&item.component.definition, named) {
        (Some(_), Some(name)) => name.to_owned(),
        _ => item.node.name.as_str().to_owned(),
    }
}

/// True for an item whose name is that of the file which it, or an item above it, was made of.
fn is_called_by_file(items: &BomItems<'_>, item: &BomItem<'_>) -> bool {
    let above = iter::successors(Some(item), |below| items.get(below.parent?));
    let file = above.filter_map(|item| item.node.file.as_ref()).find_map(|file| file.name.as_ref());
    file.is_some_and(|file: &Name| *file == item.node.name)
}

/// An object as a row lists it.
pub(super) fn object(items: &BomItems<'_>, item: &BomItem<'_>) -> BomObject {
    let source = items.input.sources.get(item.source).filter(|_| item.source > 0);
    BomObject {
        id: item.node.id,
        project_id: source.map(|source| source.project),
        commit_hash: source.and_then(|source| source.commit),
    }
}

/// The different values of a column among the items of a group.
fn values(items: &BomItems<'_>, group: &RowGroup, column: &BomColumn) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    let mut last: Option<FoundValue<'_>> = None;
    for item in group.items.iter().filter_map(|index| items.get(*index)) {
        let found = column.find(item.component);
        if found == last {
            continue;
        }
        last = found;
        if let Some(value) = found.and_then(FoundValue::read).filter(|value| !values.contains(value)) {
            values.push(value);
        }
        if values.len() == VALUES_MAX {
            break;
        }
    }
    values
}
