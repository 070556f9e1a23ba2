//! Draws meshes: their faces with light on them, and their edges.

use glam::{Vec2, Vec3A, Vec3Swizzles};

use super::canvas::Canvas;
use super::light::{NEUTRAL, PackedNormal, rgb};
use super::number::whole;
use super::palette::Paint;
use super::triangle::SampledTriangle;
use super::view::PlacedMesh;
use crate::scene::{Colour, Surface};

/// Cosine of the angle between a triangle and its normals below which they make it look round.
const ROUND: f32 = 0.999;
/// Extent in samples below which a triangle is too small to look round.
const SMALL: f32 = 4.0;
/// Extent in samples to which smaller boxes grow, because no sample may be within them.
const SEEN: f32 = 2.0;
/// Distance in pixels by which edges are drawn nearer than they are. Else their own faces would hide half of them.
const LIFT: f32 = 1.5;
/// The sides of a box by its corners, whose bits are x, y and z.
const BOX: [[u32; 3]; 12] = [
    [0, 2, 1],
    [1, 2, 3],
    [4, 5, 6],
    [5, 7, 6],
    [0, 1, 4],
    [1, 5, 4],
    [2, 6, 3],
    [3, 6, 7],
    [0, 4, 2],
    [2, 4, 6],
    [1, 3, 5],
    [3, 7, 5],
];

/// The look of a face.
struct Look {
    paint: Paint,
    /// Samples in a row or a column of a pixel.
    grid: u16,
    /// Samples of a pixel that show the face: fewer than all if it is transparent. The others show those behind it.
    share: u16,
}

/// Draws the faces of a mesh.
pub(super) fn faces(canvas: &mut Canvas, placed: &PlacedMesh<'_>) {
    for surface in &placed.mesh.surfaces {
        let look = Look::new(placed.colour.or(surface.colour), canvas);
        for corners in &surface.triangles {
            let Some(points) = pick(&surface.positions, corners) else { continue };
            let Some(triangle) = SampledTriangle::new(points.map(|point| placed.point(point))) else {
                continue;
            };
            face(canvas, &triangle, &look, normals(placed, surface, corners));
        }
    }
}

/// Draws the box of a mesh in place of its faces.
pub(super) fn stand_in(canvas: &mut Canvas, placed: &PlacedMesh<'_>) {
    let colour = placed.mesh.surfaces.first().and_then(|surface| surface.colour);
    let look = Look::new(placed.colour.or(colour), canvas);
    let middle = placed.corners.into_iter().sum::<Vec3A>() / 8.0;
    let growth = (SEEN / placed.extent).max(1.0);
    let corners = placed.corners.map(|corner| middle + (corner - middle) * growth);
    for triangle in BOX.iter().filter_map(|triangle| SampledTriangle::new(pick(&corners, triangle)?)) {
        face(canvas, &triangle, &look, None);
    }
}

/// Draws the edges of a mesh, this many samples wide.
pub(super) fn edges(canvas: &mut Canvas, placed: &PlacedMesh<'_>, width: f32) {
    let lift = Vec3A::Z * LIFT * f32::from(canvas.grid);
    let ends = &placed.mesh.edges.positions;
    for [from, to] in &placed.mesh.edges.segments {
        let (Some(from), Some(to)) = (at(ends, *from), at(ends, *to)) else { continue };
        let (from, to) = (placed.point(from) - lift, placed.point(to) - lift);
        let along = (to - from).xy().normalize_or(Vec2::X) * (width / 2.0);
        let (along, across) = (Vec3A::from(along.extend(0.0)), Vec3A::from(along.perp().extend(0.0)));
        let (from, to) = (from - along, to + along);
        let [a, b, c, d] = [from - across, from + across, to - across, to + across];
        for triangle in [[a, b, c], [b, c, d]].into_iter().filter_map(SampledTriangle::new) {
            triangle.draw(canvas, [Vec3A::ZERO; 3], |sample, _, depth, _| sample.mark(depth));
        }
    }
}

/// Draws a triangle of a face, given the normals of its corners.
fn face(canvas: &mut Canvas, triangle: &SampledTriangle, look: &Look, normals: Option<[Vec3A; 3]>) {
    let Some(flat) = triangle.normal() else { return };
    let towards_viewer = |normal: Vec3A| if normal.dot(flat) < 0.0 { -normal } else { normal };
    let normals = normals.unwrap_or([flat; 3]).map(towards_viewer);
    if triangle.extent() > SMALL && normals.iter().any(|normal| normal.dot(flat) < ROUND) {
        triangle.draw(canvas, normals, |sample, place, depth, normal| {
            if look.is_shown(place) {
                sample.show(depth, look.paint, || PackedNormal::new(normal));
            }
        });
    } else {
        let [a, b, c] = normals;
        let normal = PackedNormal::new((a + b + c).normalize_or(flat));
        triangle.draw(canvas, normals, |sample, place, depth, _| {
            if look.is_shown(place) {
                sample.show(depth, look.paint, || normal);
            }
        });
    }
}

impl Look {
    fn new(colour: Option<Colour>, canvas: &mut Canvas) -> Self {
        let (grid, paint) = (canvas.grid, canvas.palette.paint(colour.map_or(NEUTRAL, rgb)));
        let alpha = colour.map_or(1.0, |colour| colour.alpha);
        let share = whole(alpha * f32::from(grid * grid) + 0.5).max(u16::from(alpha > 0.0));
        Self { paint, grid, share }
    }

    /// True if a sample shows the face. The samples of a pixel have ranks, the first along a diagonal.
    #[inline]
    fn is_shown(&self, [row, column]: [u16; 2]) -> bool {
        let grid = self.grid;
        self.share >= grid * grid || (row + column) % grid * grid + row % grid < self.share
    }
}

/// The normals of a triangle's corners, if the file has all of them.
fn normals(placed: &PlacedMesh<'_>, surface: &Surface, corners: &[u32; 3]) -> Option<[Vec3A; 3]> {
    let [a, b, c] = pick(&surface.normals, corners)?.map(|normal| placed.normal(normal));
    Some([a?, b?, c?])
}

fn pick<T: Copy>(points: &[T], [a, b, c]: &[u32; 3]) -> Option<[T; 3]> {
    Some([at(points, *a)?, at(points, *b)?, at(points, *c)?])
}

fn at<T: Copy>(points: &[T], index: u32) -> Option<T> {
    points.get(usize::try_from(index).ok()?).copied()
}
