//! One shape for each kind of surface and of loop.

use proptest::prelude::*;

use super::{area, assert_like, faces, file, scene};

/// Name, box in millimetres, area in square millimetres and faces, by OpenCascade 8.0.1 (`BRepBndLib::AddOptimal`,
/// `BRepGProp::SurfaceProperties`).
const SHAPES: [(&str, [f64; 3], f64, u64); 15] = [
    ("cylinder", [8.0, 8.0, 10.0], 351.858, 3),
    ("cone-with-apex", [6.0, 6.0, 5.0], 83.2298, 2),
    ("cone-upside-down", [6.0, 6.0, 5.0], 83.2298, 2),
    ("frustum", [8.0, 8.0, 5.0], 164.34, 3),
    ("sphere", [8.0, 8.0, 8.0], 201.062, 1),
    ("half-sphere", [8.0, 8.0, 4.0], 150.796, 2),
    ("sphere-octant", [4.0, 4.0, 4.0], 62.8319, 4),
    ("torus", [16.0, 16.0, 4.0], 473.741, 1),
    ("torus-piece", [11.3292, 8.0, 4.0], 175.929, 3),
    ("rounded-box", [10.0, 8.0, 6.0], 333.664, 26),
    ("plate-with-holes", [20.0, 20.0, 3.0], 1090.27, 10),
    ("cylinder-with-cross-hole", [10.0, 10.0, 20.0], 880.206, 4),
    ("spline-prism", [10.7921, 8.3101, 5.0], 286.25, 4),
    ("spline-revolved", [10.0, 10.0, 9.0], 242.232, 1),
    ("loft", [10.0, 10.0, 10.0], 340.517, 3),
];

#[test]
fn box_area_and_faces_are_those_of_opencascade() {
    for (name, expected, expected_area, count) in SHAPES {
        let scene = scene(&file(&format!("{name}.step")));
        assert_eq!(faces(&scene), (count, count), "{name}");
        assert_like(name, &scene, expected, expected_area, [0.002, 0.01]);
    }
}

#[test]
fn triangles_of_a_closed_shape_look_outwards() {
    // The volume by the divergence theorem is only that of the shape if they do.
    for (name, volume) in [
        ("cylinder", 502.65),
        ("cone-with-apex", 47.12),
        ("cone-upside-down", 47.12),
        ("sphere", 268.08),
        ("half-sphere", 134.04),
        ("sphere-octant", 33.51),
        ("torus", 473.74),
        ("plate-with-holes", 1049.2),
        ("rounded-box", 460.74),
        ("spline-prism", 300.69),
    ] {
        let scene = scene(&file(&format!("{name}.step")));
        let mut found = 0.0;
        for surface in &scene.meshes[0].surfaces {
            for corners in &surface.triangles {
                let [a, b, c] =
                    corners.map(|corner| surface.positions[usize::try_from(corner).unwrap()].as_dvec3());
                found += a.dot(b.cross(c)) / 6.0;
                let normal = surface.normals[usize::try_from(corners[0]).unwrap()].as_dvec3();
                assert!((b - a).cross(c - a).dot(normal) >= 0.0, "{name}: a normal looks the other way");
            }
        }
        assert!((found / volume - 1.0).abs() < 0.02, "{name}: {found} and {volume}");
    }
}

proptest! {
    /// A shape stays what it is wherever it stands.
    #[test]
    fn a_shape_far_away_has_the_same_area(x in -1e4..1e4_f64, y in -1e4..1e4_f64, number in 0..SHAPES.len()) {
        let (name, _, expected_area, _) = SHAPES[number];
        let text = std::fs::read_to_string(file(&format!("{name}.step"))).unwrap();
        // Statements go over several lines.
        let text = text.replace(";\n", "\u{1}").replace("\n", "").replace("  ", "").replace('\u{1}', ";\n");
        let moved = text.lines().map(|line| match line.split_once("CARTESIAN_POINT('',(") {
            Some((before, after)) => {
                let numbers = after.split(')').next().unwrap_or_default().split(',');
                let numbers: Vec<f64> = numbers.filter_map(|text| text.parse().ok()).collect();
                match numbers.as_slice() {
                    [a, b, c] => format!("{before}CARTESIAN_POINT('',({:?},{:?},{c:?}));", a + x, b + y),
                    _ => line.to_owned(),
                }
            }
            None => line.to_owned(),
        });
        let text: Vec<String> = moved.collect();
        let text = text.join("\n");
        let mut scene = shape::step::StepScene::of(text.as_bytes()).unwrap().unwrap();
        scene.add_faces(|| true);
        let found = area(scene.scene());
        prop_assert!((found / expected_area - 1.0).abs() < 0.02, "{name} at {x}, {y}: {found} and {expected_area}");
    }
}
