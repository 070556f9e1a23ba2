//! Edges and directions of surfaces that are only triangles: where two of them meet at a small angle, a curved face is
//! meant; where they meet at a large one, an edge.

use std::collections::HashMap;

use glam::{DVec3, Vec3};

use crate::scene::{Colour, Lines, Surface};

/// Cosine of the largest angle between the directions of two triangles of one face: a little more than 30°, which are
/// those of a cylinder with twelve sides.
const SMOOTH_COSINE: f32 = 0.86;
/// Most triangles of a surface whose edges are drawn. Larger ones are scans and sculptures, with as many edges as
/// pixels.
pub const OUTLINED_MAX: usize = 500_000;

/// The edges of a surface: where its triangles meet at more than about 30°, and its open borders. Corners at the same
/// point count as one. No edges for more than [`OUTLINED_MAX`] triangles.
pub fn crease_edges(surface: &Surface) -> Lines {
    if surface.triangles.len() > OUTLINED_MAX {
        return Lines::default();
    }
    let mut corners: HashMap<[u32; 3], u32> = HashMap::new();
    let mut positions = Vec::new();
    let mut welded = Vec::new();
    for point in &surface.positions {
        // Makes one zero of the two.
        let point = *point + Vec3::ZERO;
        let next = to_index(positions.len());
        let corner = *corners.entry(point.to_array().map(f32::to_bits)).or_insert(next);
        if corner == next {
            positions.push(point);
        }
        welded.push(corner);
    }
    let triangles = surface.triangles.iter().map(|triangle| triangle.map(|corner| at(&welded, corner)));
    // Others are lines and points, which have no edges of their own.
    let triangles: Vec<[u32; 3]> = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    Neighbours::new(&positions, &triangles).creases()
}

/// Triangles of one colour, by the indices of their corners.
#[derive(Debug, Default)]
pub(super) struct Patch {
    pub(super) colour: Option<Colour>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// The surfaces of a mesh with directions at their corners, and its edges. The positions are different points. At an
/// edge, one of them becomes a corner for each side; where only the colour changes, the surface stays smooth.
pub(super) fn finish(positions: &[Vec3], patches: &[Patch]) -> (Vec<Surface>, Lines) {
    let triangles = patches.iter().flat_map(|patch| &patch.triangles).copied();
    let triangles: Vec<[u32; 3]> = triangles.collect();
    let neighbours = Neighbours::new(positions, &triangles);
    let is_outlined = triangles.len() <= OUTLINED_MAX;
    let edges = if is_outlined { neighbours.creases() } else { Lines::default() };
    (neighbours.surfaces(patches), edges)
}

/// The triangles of a surface, and where they meet.
struct Neighbours<'a> {
    positions: &'a [Vec3],
    triangles: &'a [[u32; 3]],
    /// The direction of each triangle; zero for one without an area.
    normals: Vec<Vec3>,
    /// The sides of all triangles, those with the same ends beside each other.
    sides: Vec<Side>,
}

/// A side of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    /// Its ends, the lower index first.
    ends: [u32; 2],
    /// Index of the triangle.
    triangle: u32,
    /// True if the triangle runs from the lower to the higher end.
    is_forward: bool,
}

impl<'a> Neighbours<'a> {
    fn new(positions: &'a [Vec3], triangles: &'a [[u32; 3]]) -> Self {
        let mut normals = Vec::with_capacity(triangles.len());
        let mut sides = Vec::with_capacity(triangles.len().saturating_mul(3));
        for (index, triangle @ [a, b, c]) in triangles.iter().enumerate() {
            let [x, y, z] = triangle.map(|corner| at(positions, corner).as_dvec3());
            normals.push((y - x).cross(z - x).normalize_or_zero().as_vec3());
            let triangle = to_index(index);
            for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
                sides.push(Side { ends: [from.min(to), from.max(to)], triangle, is_forward: from < to });
            }
        }
        sides.sort_unstable();
        Self { positions, triangles, normals, sides }
    }

    /// The sides of each edge.
    fn edges(&self) -> impl Iterator<Item = &[Side]> {
        self.sides.chunk_by(|one, other| one.ends == other.ends)
    }

    /// The cosine of the angle between the directions of two triangles; `None` if one has no area, and so no direction.
    fn cosine(&self, one: &Side, other: &Side) -> Option<f32> {
        let [one, other] = [one, other].map(|side| at(&self.normals, side.triangle));
        (one != Vec3::ZERO && other != Vec3::ZERO).then(|| one.dot(other))
    }

    fn creases(&self) -> Lines {
        let mut lines = Lines::default();
        let mut ends: HashMap<u32, u32> = HashMap::new();
        for sides in self.edges().filter(|sides| self.is_crease(sides)) {
            let Some(side) = sides.first() else { continue };
            lines.segments.push(side.ends.map(|end| {
                *ends.entry(end).or_insert_with(|| {
                    lines.positions.push(at(self.positions, end));
                    to_index(lines.positions.len() - 1)
                })
            }));
        }
        lines
    }

    fn is_crease(&self, sides: &[Side]) -> bool {
        match sides {
            [_] => true,
            // Two that run in the same direction have opposite outsides: one of them is the wrong way round.
            [one, other] => {
                let sign = if one.is_forward == other.is_forward { -1.0 } else { 1.0 };
                self.cosine(one, other).is_some_and(|cosine| cosine * sign < SMOOTH_COSINE)
            }
            // More are faces with two sides, or several bodies that touch.
            [first, others @ ..] => others
                .iter()
                .filter_map(|other| self.cosine(first, other))
                .any(|cosine| cosine.abs() < SMOOTH_COSINE),
            [] => false,
        }
    }

    /// The surfaces of the patches, with a corner for each point and each face there.
    fn surfaces(&self, patches: &[Patch]) -> Vec<Surface> {
        let mut faces = self.faces();
        let normals = self.normals(&mut faces);
        // The corner of a face, and the number of the surface that has it, from 1.
        let mut known: Vec<(u32, u32)> = vec![(0, 0); normals.len()];
        let mut surfaces = Vec::new();
        let mut place = 0;
        for (patch, number) in patches.iter().zip(1..) {
            let mut surface = Surface { colour: patch.colour, ..Surface::default() };
            for triangle in &patch.triangles {
                let corners = triangle.map(|point| {
                    let face = faces.representative(place);
                    place = place.saturating_add(1);
                    let (corner, of) = at(&known, face);
                    if of == number {
                        return corner;
                    }
                    let corner = to_index(surface.positions.len());
                    set(&mut known, face, (corner, number));
                    surface.positions.push(at(self.positions, point));
                    surface.normals.push(at(&normals, face).normalize_or(Vec3::Z));
                    corner
                });
                surface.triangles.push(corners);
            }
            surfaces.push(surface);
        }
        surfaces
    }

    /// The directions of faces at their points, not of length 1.
    fn normals(&self, faces: &mut DisjointSets) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; faces.0.len()];
        let mut place = 0;
        for (triangle, normal) in self.triangles.iter().zip(&self.normals) {
            let points = triangle.map(|corner| at(self.positions, corner).as_dvec3());
            // By angles, so that it doesn't matter how a polygon was divided into triangles.
            for angle in angles(points) {
                let face = faces.representative(place);
                place = place.saturating_add(1);
                let sum = at(&normals, face) + *normal * angle;
                set(&mut normals, face, sum);
            }
        }
        normals
    }

    /// The corners of all triangles, three each, by the faces that they belong to at their points.
    fn faces(&self) -> DisjointSets {
        let mut faces = DisjointSets::new(to_index(self.triangles.len().saturating_mul(3)));
        for sides in self.edges() {
            if let [one, other] = sides
                && one.is_forward != other.is_forward
                && self.cosine(one, other).is_some_and(|cosine| cosine >= SMOOTH_COSINE)
            {
                for end in one.ends {
                    faces.unite(self.corner(one, end), self.corner(other, end));
                }
            }
        }
        faces
    }

    /// The number of the corner of a side's triangle at an end of the side.
    fn corner(&self, side: &Side, end: u32) -> u32 {
        let place = match at(self.triangles, side.triangle) {
            [first, ..] if first == end => 0,
            [_, second, _] if second == end => 1,
            _ => 2,
        };
        side.triangle.saturating_mul(3).saturating_add(place)
    }
}

/// The angles of a triangle at its corners, which are different points.
fn angles([a, b, c]: [DVec3; 3]) -> [f32; 3] {
    let angle = |corner: DVec3, one: DVec3, other: DVec3| {
        let [one, other] = [one, other].map(|end| (end - corner).normalize_or_zero().as_vec3());
        one.dot(other).clamp(-1.0, 1.0).acos()
    };
    [angle(a, b, c), angle(b, c, a), angle(c, a, b)]
}

/// Disjoint sets of numbers: each one's predecessor in its set, or itself.
struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// Sets of one number each.
    fn new(count: u32) -> Self {
        Self((0..count).collect())
    }

    /// The number that stands for a set.
    fn representative(&mut self, mut number: u32) -> u32 {
        loop {
            let before = at(&self.0, number);
            if before == number {
                return number;
            }
            // Halves the way for the next one.
            let earlier = at(&self.0, before);
            set(&mut self.0, number, earlier);
            number = earlier;
        }
    }

    fn unite(&mut self, one: u32, other: u32) {
        let (one, other) = (self.representative(one), self.representative(other));
        set(&mut self.0, one.max(other), one.min(other));
    }
}

/// The item at an index that is valid.
fn at<T: Copy + Default>(items: &[T], index: u32) -> T {
    usize::try_from(index).ok().and_then(|index| items.get(index)).copied().unwrap_or_default()
}

/// Replaces the item at an index that is valid.
fn set<T>(items: &mut [T], index: u32, item: T) {
    if let Some(place) = usize::try_from(index).ok().and_then(|index| items.get_mut(index)) {
        *place = item;
    }
}

/// The index of an item; meshes have at most three corners for each of their triangles.
fn to_index(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
