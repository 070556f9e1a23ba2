//! Mesh files and the scenes that they become.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

mod creases;
mod gltf;
mod hostile;

mod kinds;
mod obj;
mod ply;
mod real;
mod stl;
mod three_mf;

use std::fmt::Write;

use glam::Vec3;
use import::mesh::{LEVELS_MAX, MeshError, NODES_MAX};
use shape::meshes::{MeshKind, SEGMENTS_MAX, TRIANGLES_MAX};
use shape::scene::{Colour, Mesh, Scene, UpAxis};

/// Reads a file, and checks what holds for every scene.
fn read(kind: MeshKind, bytes: &[u8]) -> Result<Scene, MeshError> {
    let scene = shape::meshes::read(kind, bytes)?;
    check(&scene);
    Ok(scene)
}

/// The scene in words, or the error.
fn outline(kind: MeshKind, bytes: &[u8]) -> String {
    read(kind, bytes).map_or_else(|error| error.to_string(), |scene| describe(&scene))
}

fn describe(scene: &Scene) -> String {
    let mut text = match scene.up {
        UpAxis::Y => "Y up".to_owned(),
        UpAxis::Z => "Z up".to_owned(),
    };
    if let Some(metres) = scene.metres {
        write!(text, ", {metres} m").unwrap();
    }
    let mut levels: Vec<usize> = Vec::new();
    for node in &scene.nodes {
        let level = node.parent.map_or(0, |parent| levels[parent] + 1);
        levels.push(level);
        write!(text, "\n{}{:?}", "  ".repeat(level), node.name).unwrap();
        if let Some(mesh) = node.mesh {
            write!(text, " mesh {mesh}").unwrap();
        }
        let [x, y, z, origin] = node.placement.to_cols_array_2d();
        if [x, y, z] != [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            write!(text, " axes {x:?} {y:?} {z:?}").unwrap();
        }
        if origin != [0.0; 3] {
            write!(text, " at {origin:?}").unwrap();
        }
    }
    for (index, mesh) in scene.meshes.iter().enumerate() {
        write!(text, "\nmesh {index}: {}", describe_mesh(mesh)).unwrap();
    }
    text
}

fn describe_mesh(mesh: &Mesh) -> String {
    let mut text = format!("{} of {} faces", mesh.faces.shown, mesh.faces.all);
    for surface in &mesh.surfaces {
        let count = surface.triangles.len();
        match surface.colour {
            Some(Colour { rgb, alpha }) => {
                let [red, green, blue] = rgb.map(|part| part * 255.0);
                write!(text, "; {count} triangles of {red:.0} {green:.0} {blue:.0}").unwrap();
                if alpha < 1.0 {
                    write!(text, " {:.0}%", alpha * 100.0).unwrap();
                }
            }
            None => write!(text, "; {count} triangles").unwrap(),
        }
    }
    write!(text, "; {} edges", mesh.edges.segments.len()).unwrap();
    text
}

/// Asserts what holds for every scene: valid indices, limits, finite coordinates, and directions of length 1.
fn check(scene: &Scene) {
    let mut levels: Vec<usize> = Vec::new();
    for node in &scene.nodes {
        levels.push(node.parent.map_or(1, |parent| levels[parent] + 1));
        assert!(node.mesh.is_none_or(|mesh| mesh < scene.meshes.len()));
    }
    let objects: Vec<usize> = scene.nodes.iter().filter_map(|node| node.object).collect();
    assert!(objects.iter().enumerate().all(|(place, object)| *object == objects[0] + place));
    assert!(objects.len() != 1 && objects.first().is_none_or(|first| *first < 2));
    assert!(levels.len() <= NODES_MAX && levels.iter().all(|level| *level <= LEVELS_MAX));
    assert!(scene.triangles() <= TRIANGLES_MAX);
    assert!(scene.bounds().unwrap().size().is_finite());
    for mesh in &scene.meshes {
        assert!(mesh.faces.shown <= mesh.faces.all);
        let corners = mesh.triangles() * 3;
        assert!(mesh.edges.segments.len() <= SEGMENTS_MAX + corners);
        let ends = u32::try_from(mesh.edges.positions.len()).unwrap();
        assert!(mesh.edges.segments.iter().flatten().all(|end| *end < ends));
        assert!(mesh.edges.positions.iter().all(|point| point.is_finite()));
        for surface in &mesh.surfaces {
            assert_eq!(surface.positions.len(), surface.normals.len());
            let count = u32::try_from(surface.positions.len()).unwrap();
            assert!(surface.triangles.iter().flatten().all(|corner| *corner < count));
            assert!(surface.positions.iter().all(|point| point.is_finite()));
            assert!(surface.normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-3));
        }
    }
}

/// The corners of a tetrahedron.
const TETRAHEDRON: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
/// Its faces.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// The triangles of a tetrahedron.
fn tetrahedron() -> Vec<[Vec3; 3]> {
    FACES.iter().map(|face| face.map(|corner| TETRAHEDRON[corner])).collect()
}

/// The wall of a cylinder around Z with this many sides, of radius and height 1, without its ends.
fn tube(sides: u16) -> Vec<[Vec3; 3]> {
    let point = |side: u16, height: f32| {
        let (sine, cosine) = (f32::from(side % sides) / f32::from(sides) * std::f32::consts::TAU).sin_cos();
        Vec3::new(cosine, sine, height)
    };
    let side = |side| {
        let [a, b, c, d] = [point(side, 0.0), point(side + 1, 0.0), point(side + 1, 1.0), point(side, 1.0)];
        [[a, b, c], [a, c, d]]
    };
    (0..sides).flat_map(side).collect()
}
