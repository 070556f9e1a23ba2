//! Measures of one mesh, with the most by which they may be off.
//!
//! Triangles of a curved surface lie beside it. The directions of the surface at their corners tell how high it rises
//! above each side (a cubic line between both ends), and so nearly all of the area and volume that triangles lack. That
//! is added, and a part of it counts as the error.

use glam::DVec3;

use super::sides::{self, FacetSide};
use super::{Amount, Facet, MeasuredMesh, Volume};
use crate::scene::{Mesh, Surface};

/// Cosine of the largest angle between a triangle and the surface at its corners for which its height is known: 15°.
/// Faces are divided so that a surface turns by at most 10° along each coordinate.
const NEARLY_FLAT: f64 = 0.965;
/// Part of what is added that counts as its error. On cylinders, spheres and tori it is off by less than a hundredth,
/// at the apex of a cone by a tenth.
const ADDED_ERROR: f64 = 0.1;
/// Square of the sine of the angle, 30°, below which the surfaces of two triangles go on into each other.
const SMOOTH: f64 = 0.25;
/// Most area beyond a chord of an arc of 10°, as a part of the chord's square.
const BEYOND_SIDE: f64 = 0.03;
/// Error of coordinates, as a part of the largest.
const ROUNDING: f64 = 1.2e-7;

/// Measures a mesh. `is_exact` if its triangles are the shape, and no approximation of one.
pub(super) fn measure(mesh: &Mesh, is_exact: bool) -> MeasuredMesh {
    if mesh.triangles() == 0 || mesh.faces.shown < mesh.faces.all {
        return MeasuredMesh { has_faces: mesh.faces.all > 0, ..MeasuredMesh::default() };
    }
    let origin = origin(mesh);
    let facets: Vec<Facet> =
        mesh.surfaces.iter().flat_map(|surface| facets(surface, origin, is_exact)).collect();
    let reach =
        facets.iter().flat_map(|facet| facet.corners).map(|corner| (corner + origin).abs().max_element());
    let rounding = reach.fold(0.0, f64::max) * ROUNDING;
    let sides = sides::paired(&facets);
    let mut area = area(&facets, rounding);
    if !is_exact {
        let (added, error) = at_edges(&facets, &sides.pairs);
        area.value += added;
        area.error += error;
        // Nothing tells how far a surface goes beyond a side that no other surface has.
        let beyond = |side: &FacetSide| side.length(&facets).powi(2) * BEYOND_SIDE;
        area.error += sides.alone.iter().map(beyond).sum::<f64>();
    }
    let volume = sides.is_closed().then(|| volume(&facets, origin, rounding)).flatten();
    MeasuredMesh { area: Some(area), volume: volume.filter(|_| sides.are_apart(&facets)), has_faces: true }
}

/// A point amid a mesh: volumes of a small part far from the origin would vanish in the rounding.
fn origin(mesh: &Mesh) -> DVec3 {
    let points = || mesh.surfaces.iter().flat_map(|surface| &surface.positions).map(|point| point.as_dvec3());
    let (min, max) = (points().reduce(DVec3::min), points().reduce(DVec3::max));
    min.zip(max).map_or(DVec3::ZERO, |(min, max)| min.midpoint(max))
}

fn facets(surface: &Surface, origin: DVec3, is_exact: bool) -> impl Iterator<Item = Facet> {
    surface.triangles.iter().map(move |indices| {
        let of = |vectors: &[glam::Vec3]| {
            let get = |index: u32| usize::try_from(index).ok().and_then(|index| vectors.get(index)).copied();
            indices.map(|index| get(index).unwrap_or_default().as_dvec3())
        };
        let normals = Some(of(&surface.normals)).filter(|_| !is_exact);
        facet(of(&surface.positions).map(|corner| corner - origin), normals)
    })
}

fn facet(corners @ [a, b, c]: [DVec3; 3], normals: Option<[DVec3; 3]>) -> Facet {
    let product = (b - a).cross(c - a);
    let normal = product.normalize_or_zero();
    let mut facet =
        Facet { corners, normal, area: product.length() / 2.0, heights: [0.0; 3], bend: Some(0.0) };
    let Some(normals) = normals else { return facet };
    // A direction that looks the other way is that of the same surface.
    let normals = normals.map(|one| if one.dot(normal) < 0.0 { -one } else { one });
    let cosines = normals.map(|one| one.dot(normal));
    if cosines.into_iter().fold(1.0, f64::min) < NEARLY_FLAT {
        facet.bend = None;
        return facet;
    }
    let [of_a, of_b, of_c] = normals;
    let height = |from: DVec3, to: DVec3, begin: DVec3, end: DVec3| {
        let way = to - from;
        let slope = |one: DVec3| -one.dot(way) / one.dot(normal);
        (slope(begin) - slope(end)) / 8.0
    };
    facet.heights = [height(a, b, of_a, of_b), height(b, c, of_b, of_c), height(c, a, of_c, of_a)];
    facet.bend = Some(bend(&facet));
    facet
}

/// The part by which a surface with these heights is larger than its triangle: half the mean square of its slope, of a
/// surface of the second degree.
fn bend(facet: &Facet) -> f64 {
    let [a, b, c] = facet.corners;
    let all = facet.heights.iter().sum::<f64>();
    let sides = [a.distance_squared(b), b.distance_squared(c), c.distance_squared(a)];
    let slopes = facet.heights.iter().zip(sides).map(|(height, side)| (all - 2.0 * height).powi(2) * side);
    slopes.sum::<f64>() / (6.0 * facet.area * facet.area)
}

/// The area of all facets, without what is added at edges.
fn area(facets: &[Facet], rounding: f64) -> Amount {
    let mut sum = Amount::default();
    for facet in facets {
        let [a, b, c] = facet.corners;
        sum.error += rounding * (a.distance(b) + b.distance(c) + c.distance(a));
        match facet.bend {
            Some(bend) => {
                sum.value += facet.area * (1.0 + bend);
                sum.error += facet.area * bend * ADDED_ERROR;
            }
            None => {
                sum.value += facet.area;
                sum.error += facet.area;
            }
        }
    }
    sum
}

/// The area between the chords of curved edges and the edges, and its error: the height of both surfaces above a chord
/// tells where the edge is.
fn at_edges(facets: &[Facet], pairs: &[[FacetSide; 2]]) -> (f64, f64) {
    let (mut added, mut error) = (0.0, 0.0);
    for [first, second] in pairs {
        let (Some(one), Some(other)) = (facets.get(first.facet), facets.get(second.facet)) else { continue };
        let (of_one, of_other) = (first.height(one), second.height(other));
        let way = first.way(one);
        let cosine = one.normal.dot(other.normal);
        let determinant = 1.0 - cosine * cosine;
        if determinant < SMOOTH && cosine < 0.0 {
            // The edge of a blade is somewhere beyond both.
            error += (of_one.abs() + of_other.abs()) * way.length();
            continue;
        }
        let edge = if determinant < SMOOTH {
            // Where one surface ends, the other one goes on: only the height of the edge counts.
            (one.normal + other.normal).normalize_or_zero() * of_one.midpoint(of_other)
        } else {
            let along_one = (of_one - cosine * of_other) / determinant;
            let along_other = (of_other - cosine * of_one) / determinant;
            one.normal * along_one + other.normal * along_other
        };
        // The directions out of both facets, as long as the chord.
        let outward = way.cross(one.normal) - way.cross(other.normal);
        let area = edge.dot(outward) * 2.0 / 3.0;
        added += area;
        error += area.abs() * ADDED_ERROR;
    }
    (added, error)
}

/// The volume within closed facets; `None` if they look inwards.
fn volume(facets: &[Facet], origin: DVec3, rounding: f64) -> Option<Volume> {
    let (mut sum, mut moment) = (Amount::default(), DVec3::ZERO);
    for facet in facets {
        let [a, b, c] = facet.corners;
        let wedge = a.dot(b.cross(c)) / 6.0;
        let above = facet.heights.iter().sum::<f64>() * facet.area / 3.0;
        sum.value += wedge + above;
        moment += (a + b + c) * (wedge / 4.0 + above / 3.0);
        let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
        let heights = facet.heights.iter().map(|height| height.abs()).sum::<f64>() / 3.0;
        let apart = if facet.bend.is_some() { heights * ADDED_ERROR } else { longest / 2.0 };
        sum.error += facet.area * (apart + rounding);
    }
    (sum.value > 0.0).then(|| Volume { amount: sum, centre: origin + moment / sum.value })
}
