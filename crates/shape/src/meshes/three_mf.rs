//! 3MF: the shapes of the objects that are built.

use std::collections::HashMap;
use std::io::Cursor;

use import::mesh::MeshError;
use import::mesh::three_mf::{ThreeMfFile, ThreeMfShape};

use super::builder::{MeshBuilder, SceneBuilder};
use crate::scene::{Colour, Scene, UpAxis};

/// Reads a file.
pub(super) fn read(bytes: &[u8]) -> Result<Scene, MeshError> {
    let file = ThreeMfFile::read(Cursor::new(bytes))?;
    let mut scene = SceneBuilder::default();
    let mut meshes: HashMap<ThreeMfShape, usize> = HashMap::new();
    for node in &file.nodes {
        let mesh = node
            .shape
            .map(|shape| *meshes.entry(shape).or_insert_with(|| add_mesh(&mut scene, &file, shape)));
        scene.add(node, mesh)?;
    }
    scene.build(UpAxis::Z, Some(file.unit.metres))
}

fn add_mesh(scene: &mut SceneBuilder, file: &ThreeMfFile, shape: ThreeMfShape) -> usize {
    let mut mesh = MeshBuilder::default();
    let Some(object) = file.object(shape) else { return scene.mesh(mesh) };
    let point = |corner| object.points.get(corner);
    for (triangle, left) in object.triangles.iter().zip((1..=object.triangles.len()).rev()) {
        if !scene.budget.has_triangles() {
            mesh.skip_faces(u64::try_from(left).unwrap_or(u64::MAX));
            break;
        }
        let colour = file.colour(shape, triangle);
        let colour = colour.map(|[red, green, blue, alpha]| Colour::from_srgb([red, green, blue], alpha));
        mesh.face(&mut scene.budget, colour, &triangle.corners.map(point));
    }
    scene.mesh(mesh)
}
