//! Triangles of a face: of its polygons, and of points between them where its surface turns along both coordinates.

use std::collections::{HashMap, VecDeque};

use glam::{DAffine3, DVec2, DVec3, Vec3};
use spade::{ConstrainedDelaunayTriangulation, HasPosition, InsertionError, Point2, Triangulation};

use super::surface::{FaceSurface, STEP};
use super::unroll::Corner;
use crate::scene::Bounds;

/// Most points within one face.
const INNER_MAX: f64 = 20_000.0;

/// The triangles of a face.
#[derive(Clone, Debug, Default)]
pub(super) struct FaceMesh {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// A vertex of the triangulation.
#[derive(Clone, Copy)]
struct Vertex {
    at: Point2<f64>,
    /// Its place among the corners; `None` where two lines cross.
    place: Option<usize>,
}

impl HasPosition for Vertex {
    type Scalar = f64;

    fn position(&self) -> Point2<f64> {
        self.at
    }
}

/// The triangles within polygons; `None` if these have no area. `is_outward` if the face looks the way of its surface.
pub(super) fn mesh(surface: &FaceSurface, polygons: &[Vec<Corner>], is_outward: bool) -> Option<FaceMesh> {
    let at = || polygons.iter().flatten().map(|corner| corner.at);
    let (min, max) = (at().reduce(DVec2::min)?, at().reduce(DVec2::max)?);
    let range = max - min;
    // A step is the same length along both coordinates, so that triangles join corners between which the surface turns
    // little: on a cylinder those of a line along it, however far apart.
    let steps = steps(surface, range);
    let scale = match surface.turning() == DVec2::ZERO {
        true => DVec2::ONE,
        false => steps / range,
    };
    if !scale.is_finite() {
        return None;
    }
    let mut corners: Vec<Corner> = Vec::new();
    let mut triangulation = ConstrainedDelaunayTriangulation::<Vertex>::new();
    for polygon in polygons {
        let mut ring = Vec::with_capacity(polygon.len());
        for corner in polygon {
            let handle = insert(&mut triangulation, corner.at * scale, corners.len()).ok()?;
            corners.push(*corner);
            ring.push(handle);
        }
        let next = ring.iter().skip(1).chain(ring.first());
        for (from, to) in ring.iter().zip(next).filter(|(from, to)| from != to) {
            if triangulation.can_add_constraint(*from, *to) {
                triangulation.add_constraint(*from, *to);
                continue;
            }
            // Lines of points may cross where the curves that they stand for touch.
            triangulation.add_constraint_and_split(*from, *to, |at| Vertex { at, place: None });
        }
    }
    for at in between(min, range / steps, steps) {
        insert(&mut triangulation, at * scale, corners.len()).ok()?;
        corners.push(Corner { at, point: surface.point(at) });
    }
    let inside = inside(&triangulation);
    let is_forward = is_outward != surface.is_mirrored();
    let mut mesh = FaceMesh::default();
    let mut written: HashMap<usize, u32> = HashMap::new();
    let corner_of = |vertex: &Vertex| {
        vertex.place.and_then(|place| corners.get(place)).copied().unwrap_or_else(|| {
            let at = DVec2::new(vertex.at.x, vertex.at.y) / scale;
            Corner { at, point: surface.point(at) }
        })
    };
    for face in triangulation.inner_faces().filter(|face| inside.get(face.fix().index()) == Some(&true)) {
        let [a, b, c] = face.vertices();
        let vertices = if is_forward { [a, b, c] } else { [a, c, b] };
        if !has_area(vertices.map(|vertex| corner_of(vertex.data()).point)) {
            continue;
        }
        let place = |vertex: VertexHandle<'_>| {
            let add = || mesh.add(surface, corner_of(vertex.data()), is_outward);
            *written.entry(vertex.fix().index()).or_insert_with(add)
        };
        let triangle = vertices.map(place);
        mesh.triangles.push(triangle);
    }
    Some(mesh)
}

/// A vertex in the triangulation.
type VertexHandle<'a> = spade::handles::VertexHandle<'a, Vertex, (), spade::CdtEdge<()>, ()>;

impl FaceMesh {
    /// True if no corner is outside of a box, nor infinite.
    pub(super) fn is_within(&self, reach: Option<Bounds>) -> bool {
        let is_inside = |point: DVec3| {
            reach.is_none_or(|Bounds { min, max }| point.cmpge(min).all() && point.cmple(max).all())
        };
        self.positions.iter().all(|point| point.is_finite() && is_inside(point.as_dvec3()))
    }

    /// The face elsewhere; `None` if a corner would be infinite. A placement that mirrors turns its triangles.
    pub(super) fn placed(mut self, placement: &DAffine3) -> Option<Self> {
        for point in &mut self.positions {
            *point = placement.transform_point3(point.as_dvec3()).as_vec3();
        }
        for normal in &mut self.normals {
            *normal = (placement.matrix3 * normal.as_dvec3()).normalize_or(DVec3::Z).as_vec3();
        }
        if placement.matrix3.determinant() < 0.0 {
            self.triangles.iter_mut().for_each(|[_, second, third]| std::mem::swap(second, third));
        }
        self.positions.iter().all(|point| point.is_finite()).then_some(self)
    }

    /// Adds a corner of a face; returns its place.
    fn add(&mut self, surface: &FaceSurface, corner: Corner, is_outward: bool) -> u32 {
        let normal = surface.normal(corner.at);
        self.positions.push(corner.point.as_vec3());
        self.normals.push((if is_outward { normal } else { -normal }).as_vec3());
        u32::try_from(self.positions.len() - 1).unwrap_or(u32::MAX)
    }
}

/// The number of steps over a range of both coordinates in which the surface turns little, at least one each.
fn steps(surface: &FaceSurface, range: DVec2) -> DVec2 {
    (surface.turning() * range / STEP).ceil().max(DVec2::ONE)
}

fn insert(
    triangulation: &mut ConstrainedDelaunayTriangulation<Vertex>,
    at: DVec2,
    place: usize,
) -> Result<spade::handles::FixedVertexHandle, InsertionError> {
    // The library refuses what is nearly zero.
    let [x, y] = [at.x, at.y].map(|value| if value.abs() < 1e-30 { 0.0 } else { value });
    triangulation.insert(Vertex { at: Point2::new(x, y), place: Some(place) })
}

/// The inner points of a grid.
fn between(min: DVec2, step: DVec2, steps: DVec2) -> Vec<DVec2> {
    if steps.x * steps.y > INNER_MAX {
        return Vec::new();
    }
    let mut points = Vec::new();
    let mut row = 1.0;
    while row < steps.y {
        let mut column = 1.0;
        while column < steps.x {
            points.push(min + step * DVec2::new(column, row));
            column += 1.0;
        }
        row += 1.0;
    }
    points
}

/// For each face of the triangulation whether an odd number of edges of polygons is around it.
fn inside(triangulation: &ConstrainedDelaunayTriangulation<Vertex>) -> Vec<bool> {
    let mut states: Vec<Option<bool>> = vec![None; triangulation.num_all_faces()];
    let outer = triangulation.outer_face();
    let mut pending = VecDeque::from([(outer.fix(), false)]);
    // The outer face is next to the edges of the hull.
    if let Some(state) = states.get_mut(outer.fix().index()) {
        *state = Some(false);
    }
    for edge in triangulation.directed_edges().filter(|edge| edge.is_outer_edge()) {
        visit(&mut states, &mut pending, edge.rev(), false);
    }
    while let Some((face, is_inside)) = pending.pop_front() {
        let Some(face) = triangulation.face(face).as_inner() else { continue };
        for edge in face.adjacent_edges() {
            visit(&mut states, &mut pending, edge.rev(), is_inside);
        }
    }
    states.into_iter().map(|state| state == Some(true)).collect()
}

/// A directed edge of the triangulation.
type Edge<'a> = spade::handles::DirectedEdgeHandle<'a, Vertex, (), spade::CdtEdge<()>, ()>;

/// Notes the face on the left of an edge, whose other side is known.
fn visit(
    states: &mut [Option<bool>],
    pending: &mut VecDeque<(spade::handles::FixedFaceHandle<spade::handles::PossiblyOuterTag>, bool)>,
    edge: Edge<'_>,
    is_other_inside: bool,
) {
    let face = edge.face().fix();
    if let Some(state @ None) = states.get_mut(face.index()) {
        let is_inside = is_other_inside != edge.is_constraint_edge();
        *state = Some(is_inside);
        pending.push_back((face, is_inside));
    }
}

/// False for a triangle that is a line in space, as those at the end of a cone.
fn has_area([a, b, c]: [DVec3; 3]) -> bool {
    (b - a).cross(c - a) != DVec3::ZERO
}
