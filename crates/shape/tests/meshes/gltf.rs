//! glTF and GLB.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use glam::Vec3;
use insta::assert_snapshot;
use serde_json::{Value, json};
use shape::meshes::MeshKind;

use crate::{FACES, TETRAHEDRON, outline, read};

/// The corners of a tetrahedron as numbers of 32 bits, then its faces as indices of 16 bits.
fn data() -> Vec<u8> {
    let corners = TETRAHEDRON.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes);
    let indices = FACES.iter().flatten().map(|corner| u16::try_from(*corner).unwrap());
    corners.chain(indices.flat_map(u16::to_le_bytes)).collect()
}

/// A file with the tetrahedron as its only mesh and node.
pub(crate) fn document() -> Value {
    json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "part", "mesh": 0}],
        "meshes": [{"name": "shape", "primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": 72}],
    })
}

/// A file with most of what is read: instances, a material, sparse and normalized values, lines and a strip.
pub(crate) fn rich() -> Value {
    let mut json = document();
    json["scenes"][0]["nodes"] = json!([0, 1]);
    json["nodes"] = json!([
        {"name": "part", "mesh": 0, "extensions":
            {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 2, "ROTATION": 3, "_ID": 1}}}},
        {"name": "turned", "children": [2], "translation": [0, 1, 0], "rotation": [0, 0, 2, 0], "scale": [1, 2, 3]},
        {"mesh": 1, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]},
    ]);
    json["meshes"][0]["primitives"][0]["material"] = json!(0);
    json["meshes"].as_array_mut().unwrap().push(json!({"name": "lines", "primitives": [
        {"attributes": {"POSITION": 4}, "mode": 5},
        {"attributes": {"POSITION": 0}, "mode": 2},
    ]}));
    json["materials"] =
        json!([{"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0, 0.5]}, "alphaMode": "BLEND"}]);
    json["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing", "KHR_mesh_quantization"]);
    json["accessors"].as_array_mut().unwrap().extend([
        json!({"bufferView": 2, "componentType": 5126, "count": 2, "type": "VEC3"}),
        json!({"bufferView": 3, "componentType": 5120, "normalized": true, "count": 2, "type": "VEC4"}),
        json!({"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "sparse": {
            "count": 1,
            "indices": {"bufferView": 1, "byteOffset": 2, "componentType": 5123},
            "values": {"bufferView": 2, "byteOffset": 12},
        }}),
    ]);
    json["bufferViews"].as_array_mut().unwrap().extend([
        json!({"buffer": 0, "byteOffset": 72, "byteLength": 24}),
        json!({"buffer": 0, "byteOffset": 96, "byteLength": 8, "byteStride": 4}),
    ]);
    json
}

/// The bytes of [`rich`].
pub(crate) fn rich_data() -> Vec<u8> {
    let translations = [0.0_f32, 0.0, 0.0, 1.0, 2.0, 3.0].into_iter().flat_map(f32::to_le_bytes).collect();
    [data(), translations, vec![0, 0, 0, 127, 0, 0, 127, 0]].concat()
}

/// A binary file.
pub(crate) fn binary(json: &Value, data: &[u8]) -> Vec<u8> {
    let part = |kind: &[u8; 4], mut content: Vec<u8>, filling| {
        content.resize(content.len().next_multiple_of(4), filling);
        [&u32::try_from(content.len()).unwrap().to_le_bytes()[..], kind, &content].concat()
    };
    let parts =
        [part(b"JSON", json.to_string().into_bytes(), b' '), part(b"BIN\0", data.to_vec(), 0)].concat();
    let length = u32::try_from(parts.len() + 12).unwrap().to_le_bytes();
    [b"glTF", &2_u32.to_le_bytes()[..], &length, &parts].concat()
}

/// A text with its data in it.
pub(crate) fn embedded(json: &Value, data: &[u8]) -> Vec<u8> {
    let mut json = json.clone();
    let uri = format!("data:application/octet-stream;base64,{}", BASE64_STANDARD.encode(data));
    json["buffers"] = json!([{"byteLength": data.len(), "uri": uri}]);
    json.to_string().into_bytes()
}

/// The outline of a file that differs from [`document`].
fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut json = document();
    change(&mut json);
    outline(MeshKind::Gltf, &binary(&json, &data()))
}

/// The outline of a file whose only primitive has other data.
fn primitive(primitive: &Value, accessors: &Value, data: &[u8]) -> String {
    let mut json = document();
    json["meshes"] = json!([{"primitives": [primitive]}]);
    json["accessors"] = accessors.clone();
    json["bufferViews"] = json!([{"buffer": 0, "byteLength": data.len()}]);
    outline(MeshKind::Gltf, &binary(&json, data))
}

const WHOLE: &str = "Y up, 1 m\n\"part\" mesh 0\nmesh 0: 4 of 4 faces; 4 triangles; 6 edges";

#[test]
fn binary_files_and_texts_with_their_data_are_read() {
    let text = embedded(&document(), &data());
    assert_eq!(outline(MeshKind::Gltf, &binary(&document(), &data())), WHOLE);
    assert_eq!(outline(MeshKind::Gltf, &text), WHOLE);
    assert_eq!(outline(MeshKind::Gltf, &["\u{feff}".as_bytes(), &text].concat()), WHOLE);
    assert_eq!(
        outline(MeshKind::Gltf, String::from_utf8(text).unwrap().replace("=\"", "\"").as_bytes()),
        WHOLE
    );
}

#[test]
fn nodes_keep_their_names_order_places_and_levels() {
    let nodes = json!([
        {"name": "whole", "children": [2, 1], "translation": [1, 2, 3]},
        {"mesh": 0, "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]},
        {"name": "turned", "children": [3], "rotation": [0, 0, 2, 0], "scale": [1, 2, 3]},
        {"name": "inner", "mesh": 0},
        {"name": "elsewhere", "mesh": 0},
    ]);
    assert_snapshot!(changed(|json| json["nodes"] = nodes.clone()), @r#"
    Y up, 1 m
    "whole" at [1.0, 2.0, 3.0]
      "turned" axes [-1.0, 0.0, 0.0] [0.0, -2.0, 0.0] [0.0, 0.0, 3.0]
        "inner" mesh 0
      "shape" mesh 0 axes [0.0, 1.0, 0.0] [-1.0, 0.0, 0.0] [0.0, 0.0, 1.0] at [5.0, 6.0, 7.0]
    mesh 0: 4 of 4 faces; 4 triangles; 6 edges
    "#);
    // Without scenes, the nodes that are nobody's children are shown.
    let without_scenes = changed(|json| {
        json["nodes"] = nodes;
        json["nodes"][0]["children"] = json!([1]);
        json["nodes"][2] = json!({});
        json["scenes"] = json!([]);
    });
    assert_snapshot!(without_scenes, @r#"
    Y up, 1 m
    "whole" at [1.0, 2.0, 3.0]
      "shape" mesh 0 axes [0.0, 1.0, 0.0] [-1.0, 0.0, 0.0] [0.0, 0.0, 1.0] at [5.0, 6.0, 7.0]
    ""
    "inner" mesh 0
    "elsewhere" mesh 0
    mesh 0: 4 of 4 faces; 4 triangles; 6 edges
    "#);
}

#[test]
fn a_mirrored_node_stays_mirrored() {
    let mut json = document();
    json["nodes"][0]["scale"] = json!([-1, 1, 1]);
    let scene = read(MeshKind::Gltf, &binary(&json, &data())).unwrap();
    assert_eq!(scene.placements()[0].matrix3.determinant(), -1.0);
    assert_eq!(scene.bounds().unwrap().min.x, -1.0);
}

#[test]
fn meshes_with_the_same_accessors_and_colours_are_one() {
    let red = json!({"attributes": {"POSITION": 0}, "indices": 1, "material": 0});
    let shared = changed(|json| {
        json["materials"] = json!([{"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}]);
        // As OpenCascade writes them: a primitive for each face, a mesh for each occurrence.
        let part = json!({"primitives": [json["meshes"][0]["primitives"][0], red]});
        json["meshes"] = json!([part, part, {"primitives": [red]}]);
        json["nodes"] = json!([{"mesh": 0}, {"mesh": 1}, {"mesh": 2}, {"mesh": 0}]);
        json["scenes"] = json!([{"nodes": [0, 1, 2, 3]}]);
    });
    assert_snapshot!(shared, @r#"
    Y up, 1 m
    "" mesh 0
    "" mesh 0
    "" mesh 1
    "" mesh 0
    mesh 0: 8 of 8 faces; 4 triangles; 4 triangles of 255 0 0; 6 edges
    mesh 1: 4 of 4 faces; 4 triangles of 255 0 0; 6 edges
    "#);
}

#[test]
fn colours_are_linear_and_transparent_only_if_the_material_says_so() {
    let colour = |material: Value| {
        let outline = changed(|json| {
            json["materials"] = json!([material]);
            json["meshes"][0]["primitives"][0]["material"] = json!(0);
        });
        outline.lines().last().unwrap().replace("mesh 0: 4 of 4 faces; 4 triangles", "")
    };
    let factor = json!({"baseColorFactor": [0.5, 0.25, 0, 0.5]});
    assert_snapshot!(colour(json!({})), @" of 255 255 255; 6 edges");
    assert_snapshot!(colour(json!({"pbrMetallicRoughness": factor})), @" of 128 64 0; 6 edges");
    assert_snapshot!(
        colour(json!({"pbrMetallicRoughness": factor, "alphaMode": "BLEND"})),
        @" of 128 64 0 50%; 6 edges"
    );
    assert_snapshot!(colour(json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}})), @"; 6 edges");
    assert_snapshot!(
        colour(json!({"extensions": {"KHR_materials_pbrSpecularGlossiness": {"diffuseFactor": [0, 0.5, 0, 1]}}})),
        @" of 0 128 0; 6 edges"
    );
}

#[test]
fn strips_fans_and_lines_are_read() {
    // Two squares beside each other, in the order of a strip.
    let corners = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [2.0, 0.0], [2.0, 1.0_f32]];
    let corners: Vec<[f32; 3]> = corners.iter().map(|[x, y]| [*x, *y, 0.0]).collect();
    let accessors = json!([{"bufferView": 0, "componentType": 5126, "count": 6, "type": "VEC3"}]);
    let mode = |corners: &[[f32; 3]], mode: u32| {
        let data: Vec<u8> = corners.iter().flatten().copied().flat_map(f32::to_le_bytes).collect();
        let outline = primitive(&json!({"attributes": {"POSITION": 0}, "mode": mode}), &accessors, &data);
        outline.lines().last().unwrap().to_owned()
    };
    assert_snapshot!(mode(&corners, 0), @"There is no shape in this file.");
    assert_snapshot!(mode(&corners, 1), @"mesh 0: 0 of 0 faces; 3 edges");
    assert_snapshot!(mode(&corners, 2), @"mesh 0: 0 of 0 faces; 6 edges");
    assert_snapshot!(mode(&corners, 3), @"mesh 0: 0 of 0 faces; 5 edges");
    assert_snapshot!(mode(&corners, 4), @"mesh 0: 2 of 2 faces; 2 triangles; 6 edges");
    // The outline of the two squares: no triangle runs the wrong way round.
    assert_snapshot!(mode(&corners, 5), @"mesh 0: 4 of 4 faces; 4 triangles; 6 edges");
    assert_snapshot!(mode(&corners, 7), @"There is no shape in this file.");
    // Around the two.
    let corners = [0, 2, 4, 5, 3, 1].map(|corner| corners[corner]);
    assert_snapshot!(mode(&corners, 6), @"mesh 0: 4 of 4 faces; 4 triangles; 6 edges");
}

#[test]
fn sparse_values_replace_others_or_zeros() {
    // The three corners that aren't zero, twice as far.
    let points =
        TETRAHEDRON[1..].iter().flat_map(|point| (*point * 2.0).to_array()).flat_map(f32::to_le_bytes);
    let data: Vec<u8> = data().into_iter().chain([1, 2, 3, 0]).chain(points).collect();
    for base in [json!(0), Value::Null] {
        let mut json = document();
        json["bufferViews"].as_array_mut().unwrap().extend([
            json!({"buffer": 0, "byteOffset": 72, "byteLength": 4}),
            json!({"buffer": 0, "byteOffset": 76, "byteLength": 36}),
        ]);
        json["accessors"][0]["sparse"] = json!({
            "count": 3,
            "indices": {"bufferView": 2, "componentType": 5121},
            "values": {"bufferView": 3},
        });
        json["accessors"][0]["bufferView"] = base;
        let scene = read(MeshKind::Gltf, &binary(&json, &data)).unwrap();
        assert_eq!(scene.bounds().unwrap().max.to_array(), [2.0; 3]);
        assert_eq!(scene.triangles(), 4);
    }
}

#[test]
fn quantized_and_interleaved_corners_are_read() {
    let number = |part: f32| if part > 0.0 { 127 } else { 0 };
    let bytes: Vec<u8> = TETRAHEDRON.iter().flat_map(|p| [p.x, p.y, p.z, 9.0].map(number)).collect();
    let primitive = |normalized: bool| {
        let mut json = document();
        json["extensionsRequired"] = json!(["KHR_mesh_quantization", "KHR_texture_transform"]);
        json["accessors"] = json!([
            {"bufferView": 0, "componentType": 5120, "normalized": normalized, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ]);
        json["bufferViews"] = json!([
            {"buffer": 0, "byteLength": 16, "byteStride": 4},
            {"buffer": 0, "byteOffset": 16, "byteLength": 24},
        ]);
        read(MeshKind::Gltf, &binary(&json, &[&bytes[..], &data()[48..]].concat()))
            .unwrap()
            .bounds()
            .unwrap()
            .max
    };
    assert_eq!(primitive(true).to_array(), [1.0; 3]);
    assert_eq!(primitive(false).to_array(), [127.0; 3]);
}

#[test]
fn instances_are_nodes_below_theirs() {
    assert_snapshot!(outline(MeshKind::Gltf, &binary(&rich(), &rich_data())), @r#"
    Y up, 1 m
    "part"
      "part" mesh 0
      "part" mesh 0 axes [-1.0, 0.0, 0.0] [0.0, -1.0, 0.0] [0.0, 0.0, 1.0] at [1.0, 2.0, 3.0]
    "turned" axes [-1.0, 0.0, 0.0] [0.0, -2.0, 0.0] [0.0, 0.0, 3.0] at [0.0, 1.0, 0.0]
      "lines" mesh 1
    mesh 0: 4 of 4 faces; 4 triangles of 255 128 0 50%; 6 edges
    mesh 1: 2 of 2 faces; 2 triangles; 9 edges
    "#);
}

#[test]
fn encodings_that_are_not_read_are_named() {
    let requiring =
        |name: &str| changed(|json| json["extensionsRequired"] = json!(["KHR_lights_punctual", name]));
    assert_snapshot!(
        requiring("KHR_draco_mesh_compression"),
        @"The shape is encoded by Draco (KHR_draco_mesh_compression), which is not read."
    );
    assert_snapshot!(
        requiring("EXT_meshopt_compression"),
        @"The shape is encoded by meshopt (EXT_meshopt_compression), which is not read."
    );
    assert_snapshot!(
        requiring("KHR_meshopt_compression"),
        @"The shape is encoded by meshopt (KHR_meshopt_compression), which is not read."
    );
    assert_eq!(requiring("KHR_materials_unlit"), WHOLE);
}

#[test]
fn other_files_are_not_followed() {
    assert_snapshot!(
        changed(|json| json["buffers"] = json!([{"byteLength": 72, "uri": "../part one.bin"}])),
        @r#"The shape is in another file, "../part one.bin". Upload one file that contains all, for example a GLB."#
    );
    // An image elsewhere is no obstacle.
    assert_eq!(changed(|json| json["images"] = json!([{"uri": "https://example.com/a.png"}])), WHOLE);
}

#[test]
fn claims_beyond_the_bytes_are_errors() {
    let claim = "The file is damaged: it claims more data than it contains.";
    assert_eq!(changed(|json| json["accessors"][0]["count"] = json!(5)), claim);
    assert_eq!(changed(|json| json["accessors"][1]["count"] = json!(13)), claim);
    assert_eq!(changed(|json| json["accessors"][1]["count"] = json!(u64::MAX)), claim);
    assert_eq!(changed(|json| json["accessors"][0]["byteOffset"] = json!(u64::MAX)), claim);
    assert_eq!(changed(|json| json["bufferViews"][0]["byteLength"] = json!(500)), claim);
    assert_eq!(changed(|json| json["bufferViews"][0]["byteStride"] = json!(u64::MAX)), claim);
    assert_eq!(changed(|json| json["bufferViews"][1]["byteOffset"] = json!(u64::MAX)), claim);
    let file = binary(&document(), &data());
    assert_eq!(
        outline(MeshKind::Gltf, &file[..file.len() - 1]),
        "The file is damaged: it points at something that it does not contain."
    );
    assert_eq!(
        outline(MeshKind::Gltf, b"glTF\x02\0\0\0\0\0\0\0"),
        "The file is damaged: it does not begin with its JSON."
    );
    assert_eq!(outline(MeshKind::Gltf, b"glTF"), claim);
}

#[test]
fn indices_of_missing_items_are_errors_and_those_of_missing_corners_leave_a_triangle_out() {
    let missing = "The file is damaged: it points at something that it does not contain.";
    for path in [
        "/scenes/0/nodes/0",
        "/nodes/0/mesh",
        "/meshes/0/primitives/0/indices",
        "/accessors/0/bufferView",
        "/bufferViews/0/buffer",
    ] {
        assert_eq!(changed(|json| *json.pointer_mut(path).unwrap() = json!(7)), missing, "{path}");
    }
    let mut damaged = data();
    damaged[48] = 9;
    assert_snapshot!(outline(MeshKind::Gltf, &binary(&document(), &damaged)), @r#"
    Y up, 1 m
    "part" mesh 0
    mesh 0: 3 of 4 faces; 3 triangles; 6 edges
    "#);
    damaged[..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_snapshot!(outline(MeshKind::Gltf, &binary(&document(), &damaged)), @r#"
    Y up, 1 m
    "part" mesh 0
    mesh 0: 1 of 4 faces; 1 triangles; 3 edges
    "#);
}

#[test]
fn wrong_types_and_accessors_without_data_are_errors() {
    let wrong = "The file is damaged: an accessor has a type that does not fit its use.";
    assert_eq!(changed(|json| json["accessors"][0]["type"] = json!("VEC2")), wrong);
    assert_eq!(changed(|json| json["accessors"][0]["componentType"] = json!(1)), wrong);
    assert_snapshot!(
        changed(|json| json["accessors"][0]["bufferView"] = Value::Null),
        @"The file is damaged: an accessor has no data."
    );
    assert_snapshot!(
        changed(|json| json["nodes"] = json!({})),
        @"The file is damaged: its JSON is not that of glTF 2.0."
    );
    assert_snapshot!(changed(|json| json["nodes"][0]["mesh"] = Value::Null), @"There is no shape in this file.");
}

#[test]
fn circles_shared_children_and_too_many_levels_are_errors() {
    let nodes = |nodes: Value| changed(|json| json["nodes"] = nodes);
    let twice = "The file is damaged: a part is in two others, or in itself.";
    assert_eq!(nodes(json!([{"children": [0]}])), twice);
    assert_eq!(nodes(json!([{"children": [1]}, {"children": [0]}])), twice);
    assert_eq!(nodes(json!([{"children": [1, 2]}, {"children": [2]}, {"mesh": 0}])), twice);
    let chain = |count: usize| {
        let links = (1..count).map(|next| json!({"children": [next]}));
        nodes(links.chain([json!({"mesh": 0})]).collect())
    };
    assert_snapshot!(chain(257), @"The file has parts in more than 256 levels, or parts that contain themselves.");
    assert!(chain(256).ends_with("4 of 4 faces; 4 triangles; 6 edges"));
    let many: Value = (0..100_001).map(|_| json!({"mesh": 0})).collect();
    let all: Value = (0..100_001).collect();
    assert_snapshot!(changed(|json| {
        json["nodes"] = many;
        json["scenes"][0]["nodes"] = all;
    }), @"The file has more than 100000 parts.");
}

#[test]
fn coordinates_that_are_too_large_to_be_drawn_are_an_error() {
    let large = "The file is damaged: its coordinates are too large.";
    assert_eq!(changed(|json| json["nodes"][0]["scale"] = json!([1e39, 1, 1])), large);
    assert_eq!(
        changed(|json| json["nodes"] = json!([
            {"children": [1], "scale": [1e200, 1, 1]},
            {"mesh": 0, "scale": [1e200, 1, 1]},
        ])),
        large
    );
}

#[test]
fn many_primitives_of_one_accessor_are_read_up_to_the_limit() {
    let limited = changed(|json| {
        // A strip at one point, of which nothing is kept.
        let zeros = json!({"bufferView": 0, "componentType": 5121, "count": 12, "type": "SCALAR"});
        json["accessors"].as_array_mut().unwrap().push(zeros);
        let flat = json!({"attributes": {"POSITION": 0}, "indices": 2, "mode": 5});
        json["meshes"][0]["primitives"].as_array_mut().unwrap().extend(vec![flat; 110_000]);
    });
    assert!(limited.ends_with("mesh 0: 1000000 of 1100004 faces; 4 triangles; 6 edges"), "{limited}");
}
