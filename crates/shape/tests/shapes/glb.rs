//! GLB files of scenes, read back.

use glam::DVec3;
use serde_json::Value;
use shape::meshes::{MeshKind, read};

use super::{faces, file, scene};

/// The JSON of a GLB file.
fn document(glb: &[u8]) -> Value {
    let length = usize::try_from(u32::from_le_bytes(glb[12..16].try_into().unwrap())).unwrap();
    serde_json::from_slice(&glb[20..20 + length]).unwrap()
}

#[test]
fn a_reader_finds_the_same_shapes_in_metres_with_y_up() {
    for name in ["torus", "plate-with-holes", "rounded-box"] {
        let scene = scene(&file(&format!("{name}.step")));
        let glb = shape::glb::write(&scene).unwrap();
        let found = read(MeshKind::Gltf, &glb).unwrap();
        assert_eq!(found.triangles(), scene.triangles(), "{name}");
        let [wanted, found] = [scene.bounds(), found.bounds()].map(|bounds| bounds.unwrap().size());
        let turned = DVec3::new(wanted.x, wanted.z, wanted.y) * 0.001;
        assert!(turned.distance(found) < 1e-6, "{name}: {turned} and {found}");
        assert_eq!(faces(&scene).0, faces(&scene).1);
    }
}

#[test]
fn uses_of_a_part_share_its_vertices_and_say_which_object_they_are() {
    let glb = shape::glb::write(&scene(&file("coloured-uses.step"))).unwrap();
    let document = document(&glb);
    let nodes = document["nodes"].as_array().unwrap();
    let objects: Vec<&Value> =
        nodes.iter().map(|node| &node["extras"]["object"]).filter(|object| !object.is_null()).collect();
    assert_eq!(objects, [0, 1, 2, 3]);
    // One mesh for each colour, all of the same accessors.
    let meshes = document["meshes"].as_array().unwrap();
    assert_eq!(meshes.len(), 3);
    let positions: Vec<&Value> =
        meshes.iter().map(|mesh| &mesh["primitives"][0]["attributes"]["POSITION"]).collect();
    assert!(positions.windows(2).all(|pair| pair[0] == pair[1]));
    // Transparent materials say so, and all have two sides.
    let materials = document["materials"].as_array().unwrap();
    assert_eq!(materials.iter().filter(|material| material["alphaMode"] == "BLEND").count(), 1);
    assert!(materials.iter().all(|material| material["doubleSided"] == true));
    // Faces as triangles, edges as lines.
    let modes: Vec<&Value> =
        meshes[0]["primitives"].as_array().unwrap().iter().map(|primitive| &primitive["mode"]).collect();
    assert_eq!(modes, [4, 1]);
}

#[test]
fn a_scene_without_anything_is_a_valid_file() {
    let glb = shape::glb::write(&shape::scene::Scene::default()).unwrap();
    assert!(document(&glb)["meshes"].is_null());
    assert_eq!(u32::try_from(glb.len()).unwrap(), u32::from_le_bytes(glb[8..12].try_into().unwrap()));
}
