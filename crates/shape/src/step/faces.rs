//! Meshes of faces.

use glam::DVec3;

use super::body::{Edges, Face};
use super::model::Geometry;
use super::surface::FaceSurface;
use super::triangulation::{self, FaceMesh};
use super::unroll;

/// The mesh of a face; `None` if its surface is unknown or its loops are not understood. `radian` is the radians in the
/// file's unit of angle.
pub(super) fn mesh(model: &Geometry<'_>, id: u64, edges: &Edges, radian: f64) -> Option<FaceMesh> {
    let face = Face::of(model, id)?;
    let loops: Vec<Vec<DVec3>> = face.loops(model, edges)?;
    let points = loops.concat();
    let surface = match face.surface {
        Some(surface) => FaceSurface::read(model, surface, radian, &points)?,
        None => FaceSurface::plane_of(&points)?,
    };
    let polygons = unroll::polygons(&surface, &loops, face.is_outward)?;
    let mesh = triangulation::mesh(&surface, &polygons, face.is_outward)?;
    (!mesh.triangles.is_empty()).then_some(mesh)
}
