//! Meshes of a glTF file. Meshes with the same accessors and colours are one.

use std::collections::HashMap;

use glam::Vec3;
use import::mesh::MeshError;
use import::mesh::gltf::{GltfFile, Primitive};

use crate::meshes::builder::{MeshBuilder, SceneBuilder};
use crate::scene::Colour;

/// Modes of primitives.
const LINES: u32 = 1;
const LINE_LOOP: u32 = 2;
const LINE_STRIP: u32 = 3;
const TRIANGLES: u32 = 4;
const TRIANGLE_STRIP: u32 = 5;
const TRIANGLE_FAN: u32 = 6;

/// The meshes that are in the scene already.
#[derive(Default)]
pub(super) struct SharedMeshes {
    by_index: HashMap<u32, usize>,
    /// OpenCascade writes a mesh for each occurrence of a part, and one copy of its accessors.
    by_shape: HashMap<Vec<PrimitiveShape>, usize>,
}

/// Mode, indices, positions, and the bits of the colour.
type PrimitiveShape = (u32, Option<u32>, Option<u32>, Option<[u32; 4]>);

impl SharedMeshes {
    /// The index in the scene of a mesh of the file.
    pub(super) fn get(
        &mut self,
        file: &GltfFile<'_>,
        scene: &mut SceneBuilder,
        index: u32,
    ) -> Result<usize, MeshError> {
        if let Some(known) = self.by_index.get(&index) {
            return Ok(*known);
        }
        let primitives = file.primitives(index)?;
        let shape = primitives.iter().map(|primitive| shape(file, primitive)).collect();
        let mesh = match self.by_shape.get(&shape) {
            Some(equal) => *equal,
            None => {
                let mut mesh = MeshBuilder::default();
                for primitive in primitives {
                    add(file, primitive, scene, &mut mesh)?;
                }
                scene.mesh(mesh)
            }
        };
        self.by_shape.insert(shape, mesh);
        self.by_index.insert(index, mesh);
        Ok(mesh)
    }
}

fn shape(file: &GltfFile<'_>, primitive: &Primitive) -> PrimitiveShape {
    let bits = |Colour { rgb: [red, green, blue], alpha }| [red, green, blue, alpha].map(f32::to_bits);
    let mode = primitive.mode.unwrap_or(TRIANGLES);
    (mode, primitive.indices, primitive.attributes.position, colour(file, primitive).map(bits))
}

/// The base colour; `None` without one.
fn colour(file: &GltfFile<'_>, primitive: &Primitive) -> Option<Colour> {
    let [red, green, blue, alpha] = file.base_colour(primitive)?;
    Some(Colour { rgb: [red, green, blue], alpha })
}

/// Adds a primitive to a mesh. Points are left out.
fn add(
    file: &GltfFile<'_>,
    primitive: &Primitive,
    scene: &mut SceneBuilder,
    mesh: &mut MeshBuilder,
) -> Result<(), MeshError> {
    let Some(positions) = primitive.attributes.position else { return Ok(()) };
    let positions = file.accessor(positions, 3)?;
    let indices = primitive.indices.map(|indices| file.accessor(indices, 1)).transpose()?;
    let count = indices.as_ref().map_or(positions.count, |indices| indices.count);
    let corner = |place: u64| {
        let index = indices.as_ref().map_or(Some(place), |indices| indices.index(place))?;
        positions.vector::<3>(index).map(Vec3::from)
    };
    let mode = primitive.mode.unwrap_or(TRIANGLES);
    for number in 0..segments(mode, count) {
        if !scene.budget.has_segments() {
            break;
        }
        mesh.segment(&mut scene.budget, segment(mode, count, number).map(corner));
    }
    let colour = colour(file, primitive);
    let triangles = triangles(mode, count);
    for number in 0..triangles {
        if !scene.budget.has_triangles() {
            mesh.skip_faces(triangles.saturating_sub(number));
            break;
        }
        mesh.face(&mut scene.budget, colour, &triangle(mode, number).map(corner));
    }
    Ok(())
}

/// The number of lines that corners make.
fn segments(mode: u32, corners: u64) -> u64 {
    match mode {
        LINES => corners / 2,
        LINE_LOOP => corners,
        LINE_STRIP => corners.saturating_sub(1),
        _ => 0,
    }
}

/// The places of the ends of a line.
fn segment(mode: u32, corners: u64, number: u64) -> [u64; 2] {
    let first = if mode == LINES { number.saturating_mul(2) } else { number };
    let second = first.saturating_add(1);
    [first, if mode == LINE_LOOP && second == corners { 0 } else { second }]
}

/// The number of triangles that corners make.
fn triangles(mode: u32, corners: u64) -> u64 {
    match mode {
        TRIANGLES => corners / 3,
        TRIANGLE_STRIP | TRIANGLE_FAN => corners.saturating_sub(2),
        _ => 0,
    }
}

/// The places of the corners of a triangle. In a strip, each second one runs the other way.
fn triangle(mode: u32, number: u64) -> [u64; 3] {
    let next = |first: u64, more: u64| first.saturating_add(more);
    match mode {
        TRIANGLE_FAN => [0, next(number, 1), next(number, 2)],
        TRIANGLE_STRIP if number % 2 == 1 => [next(number, 1), number, next(number, 2)],
        TRIANGLE_STRIP => [number, next(number, 1), next(number, 2)],
        _ => {
            let first = number.saturating_mul(3);
            [first, next(first, 1), next(first, 2)]
        }
    }
}
