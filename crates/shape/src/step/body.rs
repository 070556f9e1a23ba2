//! The bodies of a shape: its shells, faces and edges, as the file's topology connects them.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashSet};

use glam::{DAffine3, DVec3};
use import::step::{Parameter, Record};

use super::curve::{Curve, first_list};
use super::model::Geometry;

/// Most levels of shapes within shapes.
const NESTING_MAX: usize = 16;
/// Most faces and curves of one shape.
const ITEMS_MAX: usize = 1_000_000;
/// Most points of the loops of one face. A loop may name an edge any number of times.
const LOOP_POINTS_MAX: usize = 200_000;
/// Points are equal within this share of their distance from the origin.
const SAME: f64 = 1e-12;

/// The content of a shape.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    pub(super) shells: Vec<Shell>,
    /// Curves and edges outside of faces.
    pub(super) wires: Vec<Wire>,
}

/// A shell in its shape.
#[derive(Debug)]
pub(super) struct Shell {
    /// Instance names of its faces.
    pub(super) faces: Vec<u64>,
    /// Instance names of what contains it, from the outside in, and its own: a colour of one of these is its colour.
    pub(super) within: Vec<u64>,
    /// From its coordinates to those of the shape.
    pub(super) placement: DAffine3,
}

/// A curve without a face.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    /// Instance name of a curve or an edge.
    pub(super) id: u64,
    pub(super) placement: DAffine3,
}

/// An item that waits to be read.
struct Pending {
    id: u64,
    within: Vec<u64>,
    placement: DAffine3,
}

impl Bodies {
    /// The bodies in these representations. `owned` are the representations of definitions: other shapes show them.
    pub(super) fn of(model: &Geometry<'_>, representations: &[u64], owned: &HashSet<u64>) -> Self {
        let mut bodies = Self::default();
        let mut pending: Vec<Pending> = Vec::new();
        for representation in representations.iter().rev() {
            pending.extend(items(model, *representation, &[], DAffine3::IDENTITY));
        }
        // A shape is once in each place, however many representations show it.
        let mut seen: HashSet<(u64, [u64; 12])> = HashSet::new();
        let mut count = 0_usize;
        while let Some(item) = pending.pop() {
            let is_new = seen.insert((item.id, item.placement.to_cols_array().map(f64::to_bits)));
            if !is_new || item.within.len() > NESTING_MAX || count > ITEMS_MAX {
                continue;
            }
            let Some(record) = model.record(item.id) else { continue };
            count = count.saturating_add(1);
            match mapped(model, &record) {
                Some((shown, placement)) if !owned.contains(&shown) => {
                    let within = [item.within.as_slice(), &[item.id]].concat();
                    pending.extend(items(model, shown, &within, item.placement * placement));
                }
                Some(_) => {}
                None => bodies.add(&record, item, &mut pending, &mut count),
            }
        }
        bodies
    }

    /// Adds an item, or puts off its parts.
    fn add(&mut self, record: &Record<'_>, item: Pending, pending: &mut Vec<Pending>, count: &mut usize) {
        let Pending { id, within, placement } = item;
        let inner = [within.as_slice(), &[id]].concat();
        let mut put_off = |parts: Vec<u64>| {
            let parts = parts.into_iter().rev();
            pending.extend(parts.map(|id| Pending { id, within: inner.clone(), placement }));
        };
        if record.entity(&[b"CLOSED_SHELL", b"OPEN_SHELL", b"CONNECTED_FACE_SET"]).is_some() {
            let faces: Vec<u64> = references(record);
            *count = count.saturating_add(faces.len());
            self.shells.push(Shell { faces, within: inner, placement });
        } else if record.entity(&[b"BREP_WITH_VOIDS", b"MANIFOLD_SOLID_BREP", b"FACETED_BREP"]).is_some() {
            // A complex instance has the outer shell in one part and the voids in another.
            put_off(references(record));
        } else if let Some(oriented) = record.entity(&[b"ORIENTED_CLOSED_SHELL", b"ORIENTED_OPEN_SHELL"]) {
            put_off(oriented.parameters.iter().filter_map(Parameter::reference).collect());
        } else if let Some(set) = record.entity(&[
            b"SHELL_BASED_SURFACE_MODEL",
            b"FACE_BASED_SURFACE_MODEL",
            b"SHELL_BASED_WIREFRAME_MODEL",
            b"EDGE_BASED_WIREFRAME_MODEL",
            b"GEOMETRIC_SET",
            b"GEOMETRIC_CURVE_SET",
            b"CONNECTED_EDGE_SET",
            b"WIRE_SHELL",
            b"COMPOSITE_CURVE",
            b"COMPOSITE_CURVE_SEGMENT",
        ]) {
            put_off(set.parameters.iter().flat_map(references_of).collect());
        } else if is_wire(record) {
            self.wires.push(Wire { id, placement });
        }
    }
}

/// The items of a representation, put off.
fn items(model: &Geometry<'_>, representation: u64, within: &[u64], placement: DAffine3) -> Vec<Pending> {
    let Some(record) = model.record(representation) else { return Vec::new() };
    let listed = record.entities.iter().flat_map(|part| part.list(1)).filter_map(Parameter::reference);
    let items = listed.map(|id| Pending { id, within: within.to_vec(), placement });
    let mut items: Vec<Pending> = items.collect();
    items.reverse();
    items
}

/// The representation that a mapped item shows, and its place.
fn mapped(model: &Geometry<'_>, record: &Record<'_>) -> Option<(u64, DAffine3)> {
    let item = record.entity(&[b"MAPPED_ITEM"])?;
    let map = model.record(item.nth_last(1)?.reference()?)?;
    let map = map.entity(&[b"REPRESENTATION_MAP", b"SYMBOL_REPRESENTATION_MAP"])?;
    let origin = model.map(map.reference(0)?)?;
    let target = model.map(item.nth_last(0)?.reference()?)?;
    let placement = target * origin.inverse();
    placement.is_finite().then_some((map.reference(1)?, placement))
}

fn is_wire(record: &Record<'_>) -> bool {
    record.entities.iter().any(|entity| {
        let keyword = entity.keyword.to_ascii_uppercase();
        keyword.ends_with(b"CURVE")
            || keyword.starts_with(b"B_SPLINE_CURVE")
            || matches!(keyword.as_slice(), b"CIRCLE" | b"ELLIPSE" | b"POLYLINE" | b"EDGE_CURVE")
    })
}

/// All instances that a record refers to, in lists or not.
fn references(record: &Record<'_>) -> Vec<u64> {
    record.entities.iter().flat_map(|entity| entity.parameters.iter()).flat_map(references_of).collect()
}

fn references_of(parameter: &Parameter<'_>) -> Vec<u64> {
    match parameter {
        Parameter::Reference(id) => vec![*id],
        Parameter::List(list) => list.iter().filter_map(Parameter::reference).collect(),
        _ => Vec::new(),
    }
}

/// Edges by their instance names, as lines of points from the first vertex to the second.
pub(super) type Edges = BTreeMap<u64, Vec<DVec3>>;

/// The edges of faces, each once, as long as they have no more points than are left.
pub(super) fn edges(model: &Geometry<'_>, faces: &[u64], points_left: &mut usize) -> Edges {
    let mut edges = Edges::new();
    for face in faces {
        let bounds = Face::of(model, *face).map(|face| face.bounds).unwrap_or_default();
        for (bound, _) in bounds {
            for (edge, _) in loop_edges(model, bound).unwrap_or_default() {
                let Entry::Vacant(entry) = edges.entry(edge) else { continue };
                let points = edge_points(model, edge).unwrap_or_default();
                let Some(left) = points_left.checked_sub(points.len()) else { return edges };
                *points_left = left;
                entry.insert(points);
            }
        }
    }
    edges
}

/// A face: a surface and its bounds.
#[derive(Debug)]
pub(super) struct Face {
    /// Instance name of the surface; a polygon may have none.
    pub(super) surface: Option<u64>,
    /// True if the face looks the way of its surface.
    pub(super) is_outward: bool,
    /// Instance names of its loops, each with true if it runs as the bound does.
    bounds: Vec<(u64, bool)>,
}

impl Face {
    /// Reads a face.
    pub(super) fn of(model: &Geometry<'_>, id: u64) -> Option<Self> {
        let mut record = model.record(id)?;
        if let Some(oriented) = record.entity(&[b"ORIENTED_FACE"]) {
            record = model.record(oriented.parameters.iter().find_map(Parameter::reference)?)?;
        }
        let surfaced = record.entity(&[b"ADVANCED_FACE", b"FACE_SURFACE"]);
        let entity = surfaced.or_else(|| record.entity(&[b"FACE"]))?;
        let bound = |bound: &Parameter<'_>| {
            let record = model.record(bound.reference()?)?;
            let bound = record.entity(&[b"FACE_BOUND", b"FACE_OUTER_BOUND"])?;
            Some((bound.nth_last(1)?.reference()?, is_true(bound.nth_last(0))))
        };
        Some(Self {
            surface: surfaced.and_then(|face| face.nth_last(1)?.reference()),
            is_outward: is_true(entity.nth_last(0)),
            // Complex instances have their bounds in another part.
            bounds: record.entities.iter().find_map(first_list)?.iter().filter_map(bound).collect(),
        })
    }

    /// The points of its loops, with the face on their left, seen from the side that it looks to. A loop without edges,
    /// which is a single point, has none. `None` if there are too many.
    pub(super) fn loops(&self, model: &Geometry<'_>, edges: &Edges) -> Option<Vec<Vec<DVec3>>> {
        let mut left = LOOP_POINTS_MAX;
        let points = |(id, is_forward): &(u64, bool)| {
            let mut points: Vec<DVec3> = polygon(model, *id).unwrap_or_default();
            for (edge, is_along) in loop_edges(model, *id).unwrap_or_default() {
                let line = edges.get(&edge).map(Vec::as_slice).unwrap_or_default();
                left = left.checked_sub(line.len())?;
                // The end of an edge is the beginning of the next.
                let last = line.len().saturating_sub(1);
                match is_along {
                    true => points.extend(line.iter().take(last)),
                    false => points.extend(line.iter().rev().take(last)),
                }
            }
            if !is_forward {
                points.reverse();
            }
            // Lines of no length may cross.
            points.dedup_by(|one, other| one.distance(*other) <= SAME * one.length());
            Some(points)
        };
        self.bounds.iter().map(points).collect()
    }
}

/// The corners of a loop that is a polygon.
fn polygon(model: &Geometry<'_>, id: u64) -> Option<Vec<DVec3>> {
    model.points(first_list(model.record(id)?.entity(&[b"POLY_LOOP"])?)?)
}

/// The edges of a loop, each with true if the loop runs from its first vertex to its second.
fn loop_edges(model: &Geometry<'_>, id: u64) -> Option<Vec<(u64, bool)>> {
    let record = model.record(id)?;
    let list = first_list(record.entity(&[b"EDGE_LOOP"])?)?;
    let edge = |oriented: &Parameter<'_>| {
        let record = model.record(oriented.reference()?)?;
        let oriented = record.entity(&[b"ORIENTED_EDGE"])?;
        Some((oriented.parameters.iter().find_map(Parameter::reference)?, is_true(oriented.nth_last(0))))
    };
    Some(list.iter().filter_map(edge).collect())
}

/// False for `.F.`.
fn is_true(flag: Option<&Parameter<'_>>) -> bool {
    !matches!(flag, Some(Parameter::Enumeration(b"F" | b"f")))
}

/// The points of an edge between its vertices, or of a curve without any.
pub(super) fn edge_points(model: &Geometry<'_>, id: u64) -> Option<Vec<DVec3>> {
    let record = model.record(id)?;
    let Some(edge) = record.entity(&[b"EDGE_CURVE"]) else { return Curve::read(model, id)?.whole() };
    // A complex instance has the vertices in one part and the curve in another.
    let vertices = record.entity(&[b"EDGE"]).unwrap_or(edge);
    let mut ends = vertices.parameters.iter().filter_map(Parameter::reference);
    let (from, to) = (model.point(ends.next()?)?, model.point(ends.next()?)?);
    let curve = edge.nth_last(1)?.reference()?;
    let is_along = is_true(edge.nth_last(0));
    Some(match Curve::read(model, curve) {
        Some(curve) => curve.between(from, to, is_along),
        // Of an unknown curve its ends are known.
        None => vec![from, to],
    })
}
