//! The objects of a mesh file's nodes, in the form of those of a STEP file: `definition`, `occurrence`, `placement` and
//! `units`.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use domain::content::design::{designed_name, is_placeholder};
use domain::text::Name;
use glam::{DAffine3, DVec3};
use serde_json::{Map, Value, json};

use super::fingerprints::{self, MeshHash};
use super::{MeshNode, MeshUnit};
use crate::conversion::{ConversionFailureCode, DraftObject, DraftType};
use crate::step::limits::TEXTS_MAX_BYTES;

/// Values of a placement that count as zero.
const ZERO: f64 = 1e-12;

/// The input for the objects.
pub(super) struct MeshSource<'a, S> {
    /// Name for objects that the file gives none.
    pub(super) name: &'a Name,
    pub(super) nodes: &'a [MeshNode<S>],
    /// The unit of the roots' coordinates.
    pub(super) unit: Option<MeshUnit>,
}

/// The objects of a file, the first of which owns it; none if the file stays one object. `hash` hashes a shape, once
/// for each.
///
/// # Errors
/// The texts are too long.
pub(super) fn drafts<S: Copy + Eq + Hash>(
    source: &MeshSource<'_, S>,
    mut hash: impl FnMut(S) -> Option<MeshHash>,
) -> Result<Vec<DraftObject>, ConversionFailureCode> {
    let numbered = || source.nodes.iter().filter(|node| node.object.is_some());
    let Some(first) = numbered().find_map(|node| node.object) else { return Ok(Vec::new()) };
    let mut drafts = Vec::new();
    if first > 0 {
        drafts.push(DraftObject::new(source.name.clone(), DraftType::Assembly));
    }
    let wholes: HashSet<usize> = numbered().filter_map(|node| node.parent).collect();
    let mut hashes: HashMap<S, Option<MeshHash>> = HashMap::new();
    let mut texts_left = TEXTS_MAX_BYTES;
    for ((place, node), placed) in source.nodes.iter().enumerate().zip(placements(source.nodes)) {
        let Some(object) = node.object else { continue };
        let is_whole = wholes.contains(&place);
        let geometry = node.shape.filter(|_| !is_whole).and_then(|shape| {
            let mesh = *hashes.entry(shape).or_insert_with(|| hash(shape));
            Some(fingerprints::of_part(&mesh?, &placed, source.ratio(node)))
        });
        let object_type = if is_whole { DraftType::Assembly } else { DraftType::Part };
        let mut draft = DraftObject::new(source.name.clone(), object_type);
        draft.data = data(node, object > 0, geometry);
        draft.name = designed_name(&draft.data).unwrap_or(draft.name);
        draft.parent = match node.parent {
            Some(parent) => source.nodes.get(parent).and_then(|parent| parent.object),
            None => (object > 0).then_some(0),
        };
        let texts = draft.name.as_str().len() + draft.data.values().map(text_bytes).sum::<usize>();
        texts_left = texts_left.checked_sub(texts).ok_or(ConversionFailureCode::ProductStructureTooLarge)?;
        drafts.push(draft);
    }
    Ok(drafts)
}

impl<S> MeshSource<'_, S> {
    /// The file's unit of length in that of a node.
    fn ratio(&self, node: &MeshNode<S>) -> f64 {
        self.unit.zip(node.product.unit).map_or(1.0, |(file, own)| file.metres / own.metres)
    }
}

/// From each node's coordinates to those of the file, in the order of the nodes.
fn placements<S>(nodes: &[MeshNode<S>]) -> Vec<DAffine3> {
    let mut placements: Vec<DAffine3> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let around = node.parent.and_then(|parent| placements.get(parent).copied());
        placements.push(around.unwrap_or(DAffine3::IDENTITY) * node.placement);
    }
    placements
}

/// The properties of an object; of a use as well, unless it owns the file.
fn data<S>(node: &MeshNode<S>, is_use: bool, geometry: Option<String>) -> Map<String, Value> {
    let product = &node.product;
    // The owner is nobody's part, so its name is that of the whole.
    let whole = if is_use { "" } else { node.name.as_str() };
    let name = if product.name.is_empty() { whole } else { &product.name };
    let mut definition = properties([("id", product.number.as_str()), ("name", name)]);
    definition.extend(geometry.map(|geometry| ("geometry".to_owned(), json!(geometry))));
    let mut data = Map::from_iter([("definition".to_owned(), Value::Object(definition))]);
    if is_use {
        let occurrence = properties([("id", product.use_number.as_str()), ("name", node.name.as_str())]);
        if !occurrence.is_empty() {
            data.insert("occurrence".to_owned(), Value::Object(occurrence));
        }
        data.extend(rows(&node.placement).map(|rows| ("placement".to_owned(), json!(rows))));
    }
    let unit = product.unit.map(|MeshUnit { name, metres }| json!({ "name": name, "metres": metres }));
    data.extend(unit.map(|unit| ("units".to_owned(), json!({ "length": unit }))));
    data
}

/// The texts that somebody gave: neither empty ones nor placeholders. A NUL, which PostgreSQL can't store, is left out.
fn properties<const N: usize>(texts: [(&str, &str); N]) -> Map<String, Value> {
    let texts = texts.map(|(key, text)| (key, text.replace('\0', "")));
    let given = texts.into_iter().filter(|(_, text)| !is_placeholder(text));
    given.map(|(key, text)| (key.to_owned(), Value::String(text))).collect()
}

/// The four rows of a placement's matrix; `None` if it is not finite.
fn rows(placement: &DAffine3) -> Option<[[f64; 4]; 4]> {
    let tidy = |value: f64| if value.abs() < ZERO { 0.0 } else { value };
    let row = |axis: fn(DVec3) -> f64| {
        let [x, y, z] = [placement.matrix3.x_axis, placement.matrix3.y_axis, placement.matrix3.z_axis];
        [x, y, z, placement.translation].map(|column| tidy(axis(column)))
    };
    let rows = [row(|column| column.x), row(|column| column.y), row(|column| column.z), [0.0, 0.0, 0.0, 1.0]];
    placement.is_finite().then_some(rows)
}

/// Bytes of the texts in a property.
fn text_bytes(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Object(fields) => fields.values().map(text_bytes).sum(),
        _ => 0,
    }
}
