//! Scenes of STEP files against OpenCascade's results, and hostile files.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

mod colours;
mod glb;
mod hostile;
mod measures;
mod real;
mod surfaces;

use std::path::{Path, PathBuf};

use glam::DVec3;
use shape::scene::{Bounds, Scene};
use shape::step::StepScene;

/// The folder of the files that stand beside these tests, each a shape that OpenCascade 8.0.1 wrote.
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes/files").join(name)
}

/// The scene of a file with its faces.
fn scene(path: &Path) -> Scene {
    let text = std::fs::read(path).unwrap();
    let mut scene = StepScene::of(&text).unwrap().unwrap();
    scene.add_faces(|| true);
    scene.scene().clone()
}

/// The area of all triangles where they stand, in square millimetres.
fn area(scene: &Scene) -> f64 {
    let millimetres = scene.metres.unwrap() * 1000.0;
    let placed = scene.nodes.iter().zip(scene.placements());
    let areas = placed.filter_map(|(node, placement)| {
        let surfaces = &scene.meshes[node.mesh?].surfaces;
        let triangles = surfaces.iter().flat_map(|surface| {
            surface
                .triangles
                .iter()
                .map(|corners| corners.map(|corner| surface.positions[usize::try_from(corner).unwrap()]))
        });
        let area = |corners: [glam::Vec3; 3]| {
            let [a, b, c] = corners.map(|corner| placement.transform_point3(corner.as_dvec3()));
            (b - a).cross(c - a).length() / 2.0
        };
        Some(triangles.map(area).sum::<f64>())
    });
    areas.sum::<f64>() * millimetres * millimetres
}

/// The lengths of the box around all that is shown, in millimetres.
fn size(scene: &Scene) -> DVec3 {
    scene.bounds().as_ref().map(Bounds::size).unwrap_or_default() * scene.metres.unwrap() * 1000.0
}

/// Asserts that box and area are those of OpenCascade, within a part of the longest side and of the area.
fn assert_like(name: &str, scene: &Scene, expected: [f64; 3], expected_area: f64, within: [f64; 2]) {
    let [of_box, of_area] = within;
    let apart = (size(scene) - DVec3::from(expected)).abs().max_element();
    let longest = DVec3::from(expected).max_element();
    assert!(apart <= longest * of_box, "{name}: {} and {expected:?}", size(scene));
    let off = (area(scene) / expected_area - 1.0).abs();
    assert!(off <= of_area, "{name}: {} and {expected_area}", area(scene));
}

/// All faces, and those with triangles.
fn faces(scene: &Scene) -> (u64, u64) {
    scene.meshes.iter().fold((0, 0), |(all, shown), mesh| (all + mesh.faces.all, shown + mesh.faces.shown))
}
