//! Area, volume and centre against OpenCascade, and shapes whose measures are not told.

use std::path::Path;

use glam::{DAffine3, DVec3, Vec3};
use shape::measures::{Measures, SceneMeasures, UNCERTAIN};
use shape::scene::{FaceCount, Mesh, Node, Scene, Surface};

use super::{file, real, scene};

/// The part by which a told measure may differ.
const PROMISED: f64 = 2.0 * UNCERTAIN;

/// Name, area, volume and centre in millimetres by OpenCascade 8.0.1 (`BRepGProp`), of all solids; a volume of 0 for
/// files without any.
type Reference = (&'static str, f64, f64, [f64; 3]);

const SHAPES: [Reference; 16] = [
    ("coloured-uses", 1800.0, 3000.0, [25.0, 5.0, 5.0]),
    ("cone-upside-down", 83.2298, 47.1239, [5.0, 3.0, 5.75]),
    ("cone-with-apex", 83.2298, 47.1239, [5.0, 3.0, 3.25]),
    ("cylinder", 351.8584, 502.6548, [5.0, 3.0, 7.0]),
    ("cylinder-with-cross-hole", 880.2057, 1447.69993, [0.0, 0.0, 10.0]),
    ("frustum", 164.3398, 146.6077, [5.0, 3.0, 3.96429]),
    ("half-sphere", 150.7964, 134.0413, [5.0, 3.0, 3.5]),
    ("loft", 340.5167, 270.1641, [0.0, 0.0, 5.53802]),
    ("plate-with-holes", 1090.2655, 1049.2036, [10.0, 10.0, 1.5]),
    ("rounded-box", 333.6637, 460.7375, [5.0, 4.0, 3.0]),
    ("sphere", 201.0619, 268.0826, [5.0, 3.0, 2.0]),
    ("sphere-octant", 62.8319, 33.5103, [6.5, 4.5, 3.5]),
    ("spline-prism", 286.2504, 300.6861, [5.52117, 2.92492, 2.5]),
    ("spline-revolved", 242.232, 0.0, [0.0; 3]),
    ("torus", 473.741, 473.741, [5.0, 3.0, 2.0]),
    ("torus-piece", 175.9292, 150.7964, [7.80367, 7.36645, 2.0]),
];

const REAL: [Reference; 15] = [
    ("#332_file.stp", 7077.9634, 31_510.174, [0.0, 0.0, 50.0]),
    ("7.STEP", 1_637_709.787, 2_132_372.603, [-24.43609, 104.72431, 60.0]),
    ("Hotend_Mount_Dragonfly_BMS_7_FINS.step", 3818.9705, 6570.3685, [-40.7922, -9.01135, -1.34454]),
    ("MiniSB_adxl_mount_adafruit_LIS3DH.step", 11_835.333, 16_125.500, [0.0085, 5.25161, 286.8076]),
    ("Molex_SlimStack_54722-0804_2x40_P0.50mm_Vertical.step", 679.032, 86.589, [0.0, -0.00171, 0.56033]),
    ("RPi_or_BTT-Pico_Din_Mount.STEP", 8603.4228, 10_299.150, [-20.38599, -22.08593, -1.83805]),
    ("SCDR.stp", 18_177_729.350, 370_721_064.043, [150.21802, 14.24475, -112.46447]),
    ("TestPoint_Bridge_Pitch2.54mm_Drill1.0mm.step", 28.1231, 5.42356, [1.27, 0.0, -0.365]),
    ("as1-oc-214.stp", 141_079.297, 764_519.806, [89.99996, 75.0, 18.8595]),
    ("derived_backplane.step", 18_265.068, 9084.8701, [29.14655, 89.21684, 2.16956]),
    ("dm1-id-214.stp", 31_850.906, 109_069.687, [33.27534, 16.96644, 50.00002]),
    ("eight_cyl.stp", 125_663.706, 1_178_097.245, [0.0; 3]),
    ("nist_ctc_01_asme1_ap242.stp", 807_080.821, 14_644_823.305, [-2.29264, -1.36345, -32.29744]),
    ("stp_multiple_shp_at_root.stp", 13_877.096, 17_152.095, [0.02989, -0.68668, 10.39412]),
    ("tia.step", 1690.9242, 946.6177, [202.4966, -99.75857, 2.57156]),
];

/// True if a file has all measures. Each that it has is right.
fn is_told(path: &Path, (name, area, volume, centre): Reference) -> bool {
    let scene = scene(path);
    let unit = scene.metres.unwrap() * 1000.0;
    let SceneMeasures { whole, .. } = scene.measures();
    let part = |found: Option<f64>, power: i32, expected: f64| {
        found.map(|one| one * unit.powi(power) / expected - 1.0)
    };
    let (area, volume) = (part(whole.area, 2, area), part(whole.volume, 3, volume));
    eprintln!("{name}: area off by {area:?}, volume by {volume:?}");
    assert!(area.is_none_or(|off| off.abs() < PROMISED), "{name}");
    assert!(volume.is_none_or(|off| off.abs() < PROMISED), "{name}");
    assert_eq!(whole.centre.is_some(), volume.is_some(), "{name}");
    if let Some(found) = whole.centre {
        let size = whole.bounds.unwrap().size().length() * unit;
        assert!((found * unit).distance(DVec3::from(centre)) < size * PROMISED, "{name}: {found}");
    }
    area.is_some() && volume.is_some()
}

#[test]
fn what_is_told_of_shapes_is_what_opencascade_finds() {
    let is_told = |reference: &&Reference| is_told(&file(&format!("{}.step", reference.0)), **reference);
    let told: Vec<&str> = SHAPES.iter().filter(is_told).map(|reference| reference.0).collect();
    for name in ["coloured-uses", "cylinder", "frustum", "plate-with-holes"] {
        assert!(told.contains(&name), "{told:?}");
    }
    assert!(!told.contains(&"spline-revolved"), "it is open");
}

#[test]
fn what_is_told_of_real_files_is_what_opencascade_finds() {
    let Some(folder) = real::folder() else { return };
    let is_told = |reference: &&Reference| is_told(&folder.join(reference.0), **reference);
    let told: Vec<&str> = REAL.iter().filter(is_told).map(|reference| reference.0).collect();
    assert!(told.contains(&"as1-oc-214.stp"), "{told:?}");
}

/// The triangles of a cube of this size at a place.
fn cube(at: Vec3, size: f32) -> Vec<[Vec3; 3]> {
    let corner = |bits: usize| {
        let side = |bit: usize| if bits >> bit & 1 == 1 { size } else { 0.0 };
        at + Vec3::new(side(0), side(1), side(2))
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let halves = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]];
    faces.into_iter().flat_map(halves).map(|corners| corners.map(corner)).collect()
}

/// A scene of these triangles, which are the shape.
fn triangles(triangles: &[[Vec3; 3]]) -> Scene {
    let count = u32::try_from(triangles.len()).unwrap();
    let surface = Surface {
        positions: triangles.as_flattened().to_vec(),
        triangles: (0..count).map(|triangle| [0, 1, 2].map(|corner| triangle * 3 + corner)).collect(),
        ..Surface::default()
    };
    let faces = FaceCount { all: count.into(), shown: count.into() };
    let mesh = Mesh { surfaces: vec![surface], faces, ..Mesh::default() };
    Scene {
        meshes: vec![mesh],
        nodes: vec![node(None, DAffine3::IDENTITY)],
        is_exact: true,
        ..Scene::default()
    }
}

fn node(parent: Option<usize>, placement: DAffine3) -> Node {
    Node { name: String::new(), parent, placement, mesh: Some(0), colour: None, object: None }
}

/// Area and volume, without the last digits.
fn whole(all: &[[Vec3; 3]]) -> (Option<f64>, Option<f64>) {
    let Measures { area, volume, .. } = triangles(all).measures().whole;
    let rounded = |value: f64| (value * 1e9).round() / 1e9;
    (area.map(rounded), volume.map(rounded))
}

#[test]
fn only_closed_meshes_that_look_outwards_have_a_volume() {
    let one = cube(Vec3::ZERO, 2.0);
    assert_eq!(whole(&one), (Some(24.0), Some(8.0)));
    assert!(triangles(&one).measures().whole.centre.unwrap().distance(DVec3::ONE) < 1e-9);
    let two = [one.clone(), cube(Vec3::X * 5.0, 1.0)].concat();
    assert_eq!(whole(&two), (Some(30.0), Some(9.0)));
    assert_eq!(whole(&one[1..]).1, None, "a triangle is missing");
    let turned: Vec<[Vec3; 3]> = one.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
    assert_eq!(whole(&turned), (Some(24.0), None), "it looks inwards");
    let mut half_turned = one.clone();
    half_turned[3].swap(0, 1);
    assert_eq!(whole(&half_turned).1, None, "one triangle looks inwards");
    assert_eq!(whole(&[one.clone(), one.clone()].concat()).1, None, "each side is used by four");
    let hollow = [one.clone(), cube(Vec3::ONE * 0.5, 1.0)].concat();
    assert_eq!(whole(&hollow), (Some(30.0), None), "the inner one may be a hollow");
    let mut partial = triangles(&one);
    partial.meshes[0].faces.all += 1;
    assert_eq!(partial.measures().whole, Measures { bounds: partial.bounds(), ..Measures::default() });
}

#[test]
fn parts_are_measured_along_their_own_axes_and_in_the_unit_of_the_file() {
    let mut scene = triangles(&cube(Vec3::ZERO, 2.0));
    let turned = DAffine3::from_translation(DVec3::X * 9.0) * DAffine3::from_rotation_z(0.4);
    scene.nodes = vec![
        Node { mesh: None, ..node(None, DAffine3::from_scale(DVec3::splat(10.0))) },
        node(Some(0), turned),
        node(Some(0), DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0))),
        node(Some(0), DAffine3::from_scale(DVec3::new(3.0, 1.0, 1.0))),
    ];
    let SceneMeasures { whole, nodes } = scene.measures();
    let near =
        |one: Option<f64>, expected: f64| assert!((one.unwrap() / expected - 1.0).abs() < 1e-6, "{one:?}");
    near(nodes[1].area, 2400.0);
    near(nodes[1].volume, 8000.0);
    assert!((nodes[1].bounds.unwrap().size() - DVec3::splat(20.0)).length() < 1e-6);
    assert!(nodes[1].centre.unwrap().distance(DVec3::splat(10.0)) < 1e-6);
    near(nodes[2].volume, 8000.0);
    assert_eq!(nodes[3], Measures::default(), "it is stretched");
    // Of the whole, the stretched volume is known, and its area is not.
    near(whole.volume, 8000.0 * 5.0);
    assert_eq!((whole.area, nodes[0].area, nodes[0].bounds), (None, None, None));
}
