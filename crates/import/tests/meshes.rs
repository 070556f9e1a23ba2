//! Conversion of mesh files with parts, rule by rule.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use domain::text::Name;
use import::mesh::{LEVELS_MAX, NODES_MAX};
use import::{Conversion, Settings, convert};
use insta::assert_snapshot;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn read(name: &str, bytes: &[u8]) -> Conversion {
    convert(&Name::sanitize(name).unwrap(), Cursor::new(bytes), &Settings::default(), std::io::sink())
        .unwrap()
}

/// The objects, one a line: type, name, the texts of definition and use, place, and a letter for each fingerprint.
fn shown(conversion: &Conversion) -> String {
    let mut depths = Vec::new();
    let mut fingerprints: Vec<String> = Vec::new();
    let mut text = String::new();
    for draft in conversion.objects() {
        let depth = draft.parent.map_or(0, |parent| depths[parent] + 1);
        depths.push(depth);
        write!(text, "{}{:?} {}", "  ".repeat(depth), draft.object_type, draft.name).unwrap();
        let texts = |part: &str| {
            let fields = draft.data.get(part).and_then(Value::as_object).cloned().unwrap_or_default();
            let given = fields.iter().filter(|(key, _)| *key != "geometry");
            given
                .map(|(key, value)| format!("{key} {}", value.as_str().unwrap()))
                .collect::<Vec<_>>()
                .join(", ")
        };
        for part in ["definition", "occurrence"] {
            let texts = texts(part);
            if !texts.is_empty() {
                write!(text, "; {part} {texts}").unwrap();
            }
        }
        if let Some(rows) = draft.data.get("placement") {
            let at = [0, 1, 2].map(|row| rows[row][3].as_f64().unwrap());
            write!(text, "; at {at:?}").unwrap();
        }
        if let Some(unit) = draft.data.get("units") {
            write!(text, "; {} of {} m", unit["length"]["name"], unit["length"]["metres"]).unwrap();
        }
        if let Some(fingerprint) =
            draft.data.get("definition").and_then(|definition| definition.get("geometry"))
        {
            let fingerprint = fingerprint.as_str().unwrap().to_owned();
            let known = fingerprints.iter().position(|known| *known == fingerprint);
            let place = known.unwrap_or(fingerprints.len());
            fingerprints.push(fingerprint);
            write!(text, "; shape {place}").unwrap();
        }
        if let Some(note) = draft.data.get("conversion") {
            write!(text, "; {} {}", note["status"], note["code"]).unwrap();
        }
        text.push('\n');
    }
    text
}

/// A triangle, and a larger one: their corners as numbers of 32 bits.
fn corners() -> Vec<u8> {
    let points =
        [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0];
    points.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// A binary glTF file with these nodes, of which `roots` are in the scene. The first two meshes are one triangle, the
/// third another.
fn glb(nodes: &Value, roots: &[usize]) -> Vec<u8> {
    let mesh = |name: &str, accessor: u32| {
        let positions = json!({ "POSITION": accessor });
        json!({ "name": name, "primitives": [{ "attributes": positions }] })
    };
    let points = json!({ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" });
    let mut others = points.clone();
    others["byteOffset"] = json!(36);
    let document = json!({
        "asset": { "version": "2.0" },
        "scenes": [{ "nodes": roots }],
        "nodes": nodes,
        "meshes": [mesh("bolt", 0), mesh("bolt", 1), mesh("", 2)],
        "accessors": [points, points, others],
        "bufferViews": [{ "buffer": 0, "byteLength": 72 }],
        "buffers": [{ "byteLength": 72 }],
    });
    binary(&document, &corners())
}

fn binary(document: &Value, data: &[u8]) -> Vec<u8> {
    let part = |kind: &[u8; 4], mut content: Vec<u8>, filling| {
        content.resize(content.len().next_multiple_of(4), filling);
        [&u32::try_from(content.len()).unwrap().to_le_bytes()[..], kind, &content].concat()
    };
    let parts =
        [part(b"JSON", document.to_string().into_bytes(), b' '), part(b"BIN\0", data.to_vec(), 0)].concat();
    let length = u32::try_from(parts.len() + 12).unwrap().to_le_bytes();
    [b"glTF", &2_u32.to_le_bytes()[..], &length, &parts].concat()
}

/// A ZIP of these parts.
fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// The main part of a 3MF.
fn model(unit: &str, resources: &str, build: &str) -> String {
    format!("<model unit='{unit}'><resources>{resources}</resources><build>{build}</build></model>")
}

/// A triangle of this size.
fn triangle(size: u32) -> String {
    format!(
        "<mesh><vertices><vertex x='0' y='0' z='0'/><vertex x='{size}' y='0' z='0'/><vertex x='0' y='{size}' z='0'/>\
         </vertices><triangles><triangle v1='0' v2='1' v3='2'/></triangles></mesh>"
    )
}

#[test]
fn nodes_become_an_assembly_whose_uses_of_one_mesh_have_one_definition() {
    let nodes = json!([
        { "name": "Gearbox", "children": [1, 2, 4, 5] },
        { "name": "left", "mesh": 0, "translation": [1, 2, 3] },
        { "name": "sub", "children": [3], "rotation": [0, 0, 1, 0] },
        { "name": "right", "mesh": 1 },
        { "name": "camera", "children": [6] },
        { "mesh": 2 },
        { "name": "bone" },
    ]);
    assert_snapshot!(shown(&read("box.glb", &glb(&nodes, &[0]))), @"
    Assembly Gearbox; definition name Gearbox
      Part left; definition name bolt; occurrence name left; at [1.0, 2.0, 3.0]; shape 0
      Assembly sub; occurrence name sub; at [0.0, 0.0, 0.0]
        Part right; definition name bolt; occurrence name right; at [0.0, 0.0, 0.0]; shape 0
      Part box.glb; at [0.0, 0.0, 0.0]; shape 2
    ");
    let conversion = read("box.glb", &glb(&nodes, &[0]));
    assert_eq!(conversion.media_type(), "model/gltf-binary");
    let turned = &conversion.objects()[2].data["placement"];
    assert_eq!(
        *turned,
        json!([[-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    );
}

#[test]
fn several_roots_are_below_an_object_of_the_file_and_keep_their_places() {
    let nodes =
        json!([{ "name": "a", "mesh": 0, "translation": [0, 5, 0] }, { "mesh": 0 }, { "name": "lamp" }]);
    assert_snapshot!(shown(&read("two.glb", &glb(&nodes, &[0, 1, 2]))), @"
    Assembly two.glb
      Part a; definition name bolt; occurrence name a; at [0.0, 5.0, 0.0]; shape 0
      Part bolt; definition name bolt; at [0.0, 0.0, 0.0]; shape 0
    ");
}

#[test]
fn a_stretched_or_mirrored_use_is_another_part_and_a_turned_one_is_not() {
    let nodes = json!([
        { "name": "all", "scale": [0.001, 0.001, 0.001], "children": [1, 2, 3, 4, 5] },
        { "name": "one", "mesh": 0 },
        { "name": "turned", "mesh": 0, "rotation": [0.5, 0.5, 0.5, 0.5], "translation": [1, 0, 0] },
        { "name": "long", "mesh": 0, "scale": [2, 1, 1] },
        { "name": "mirrored", "mesh": 0, "scale": [-1, 1, 1] },
        { "name": "as matrix", "mesh": 0, "matrix": [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 7, 0, 0, 1] },
    ]);
    let shown = shown(&read("a.glb", &glb(&nodes, &[0])));
    let shapes: Vec<&str> =
        shown.lines().filter_map(|line| line.rsplit_once("shape ").map(|(_, n)| n)).collect();
    assert_eq!(shapes, ["0", "0", "2", "3", "0"], "{shown}");
}

#[test]
fn instances_of_a_mesh_are_parts_below_their_node() {
    let mut document: Value = {
        let file = glb(&json!([{ "name": "grid", "mesh": 0 }]), &[0]);
        let length = u32::from_le_bytes(file[12..16].try_into().unwrap());
        serde_json::from_slice(&file[20..20 + usize::try_from(length).unwrap()]).unwrap()
    };
    document["nodes"][0]["extensions"] =
        json!({ "EXT_mesh_gpu_instancing": { "attributes": { "TRANSLATION": 2 } } });
    assert_snapshot!(shown(&read("grid.glb", &binary(&document, &corners()))), @"
    Assembly grid; definition name grid
      Part grid; definition name bolt; occurrence name grid; at [0.0, 0.0, 0.0]; shape 0
      Part grid; definition name bolt; occurrence name grid; at [2.0, 0.0, 0.0]; shape 0
      Part grid; definition name bolt; occurrence name grid; at [0.0, 2.0, 0.0]; shape 0
    ");
}

#[test]
fn a_file_with_one_shape_or_none_stays_a_file() {
    let one = glb(&json!([{ "name": "only", "mesh": 0 }, { "name": "lamp" }]), &[0, 1]);
    assert_snapshot!(shown(&read("one.glb", &one)), @"File one.glb");
    let none = glb(&json!([{ "name": "lamp" }, { "children": [0] }]), &[1]);
    assert_snapshot!(shown(&read("none.glb", &none)), @"File none.glb");
    let built = package(&[(
        "3D/3dmodel.model",
        &model("inch", &format!("<object id='1'>{}</object>", triangle(1)), "<item objectid='1'/>"),
    )]);
    assert_snapshot!(shown(&read("one.3mf", &built)), @"File one.3mf");
}

#[test]
fn shapes_without_their_data_are_parts_without_fingerprints() {
    let nodes = json!([{ "name": "a", "mesh": 0 }, { "name": "b", "mesh": 9 }]);
    assert_snapshot!(shown(&read("a.glb", &glb(&nodes, &[0, 1]))), @r#"File a.glb; "failed" "MESH_DAMAGED""#);
    let two = json!([{ "name": "a", "mesh": 0 }, { "name": "b", "mesh": 0 }]);
    let file = glb(&two, &[0, 1]);
    let text = String::from_utf8_lossy(&file).into_owned();
    let json = text.get(text.find('{').unwrap()..=text.rfind('}').unwrap()).unwrap();
    let elsewhere = json.replace("\"byteLength\":72}]", "\"byteLength\":72,\"uri\":\"a.bin\"}]");
    let packed =
        json.replace("\"asset\"", "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"asset\"");
    for (name, json) in [("a.gltf", elsewhere), ("b.gltf", packed)] {
        assert!(json.contains("a.bin") || json.contains("draco"));
        let shown = shown(&read(name, json.as_bytes()));
        assert_eq!(shown.matches("Part").count(), 2, "{shown}");
        assert!(!shown.contains("shape"), "{shown}");
    }
    // Of a file that memory shall not hold, the JSON is read.
    let large = [file, vec![0; 64 * 1024 * 1024]].concat();
    let shown = shown(&read("large.glb", &large));
    assert_eq!((shown.matches("Part").count(), shown.contains("shape")), (2, false), "{shown}");
}

#[test]
fn built_items_and_their_components_become_an_assembly() {
    let inner = model(
        "centimeter",
        &format!("<object id='1' name='pin' partnumber='P-1'>{}</object>", triangle(1)),
        "",
    );
    let root = model(
        "millimeter",
        &format!(
            "<object id='1' name='plate'>{}</object><object id='2' name='pair'><components>\
             <component objectid='1' transform='1 0 0 0 1 0 0 0 1 50 0 0'/>\
             <component objectid='1' p:path='/3D/inner.model' partnumber='left' transform='1 0 0 0 1 0 0 0 1 0 7 0'/>\
             </components></object><object id='3'>{}</object><object id='4' name='unused'>{}</object>",
            triangle(10),
            triangle(3),
            triangle(4),
        ),
        "<item objectid='2'/><item objectid='2' transform='0 1 0 -1 0 0 0 0 1 0 0 9'/>\
         <item objectid='3' partnumber='nut'/>",
    );
    let parts = [("3D/3dmodel.model", root.as_str()), ("3D/inner.model", inner.as_str())];
    let conversion = read("plates.3mf", &package(&parts));
    assert_snapshot!(shown(&conversion), @r#"
    Assembly plates.3mf
      Assembly pair; definition name pair; at [0.0, 0.0, 0.0]; "millimetre" of 0.001 m
        Part plate; definition name plate; at [50.0, 0.0, 0.0]; "millimetre" of 0.001 m; shape 0
        Part pin; definition id P-1, name pin; occurrence id left; at [0.0, 7.0, 0.0]; "centimetre" of 0.01 m; shape 1
      Assembly pair; definition name pair; at [0.0, 0.0, 9.0]; "millimetre" of 0.001 m
        Part plate; definition name plate; at [50.0, 0.0, 0.0]; "millimetre" of 0.001 m; shape 0
        Part pin; definition id P-1, name pin; occurrence id left; at [0.0, 7.0, 0.0]; "centimetre" of 0.01 m; shape 1
      Part nut; occurrence name nut; at [0.0, 0.0, 0.0]; "millimetre" of 0.001 m; shape 4
    "#);
    // A pin in centimetres stands ten times as large among millimetres, and is the pin.
    assert_eq!(conversion.objects()[3].data["placement"][0], json!([10.0, 0.0, 0.0, 0.0]));
}

#[test]
fn structures_that_never_end_or_are_too_large_are_refused_with_a_reason() {
    let code = |name: &str, file: &[u8]| {
        let conversion = read(name, file);
        let [only] = conversion.objects() else { return format!("{} objects", conversion.objects().len()) };
        only.data.get("conversion").map_or_else(String::new, |note| note["code"].as_str().unwrap().to_owned())
    };
    let circle = json!([{ "mesh": 0, "children": [1] }, { "mesh": 0, "children": [0] }]);
    assert_eq!(code("a.glb", &glb(&circle, &[0])), "MESH_DAMAGED");
    let shared = json!([{ "children": [1, 1] }, { "mesh": 0 }]);
    assert_eq!(code("a.glb", &glb(&shared, &[0])), "MESH_DAMAGED");
    let chain = |levels: usize| {
        let node = |level| {
            if level + 1 < levels { json!({ "children": [level + 1] }) } else { json!({ "mesh": 0 }) }
        };
        glb(&(0..levels).map(node).collect(), &[0])
    };
    assert_eq!(code("a.glb", &chain(LEVELS_MAX)), format!("{LEVELS_MAX} objects"));
    assert_eq!(code("a.glb", &chain(LEVELS_MAX + 1)), "PRODUCT_STRUCTURE_TOO_DEEP");
    let many = |count: usize| {
        let nodes = (0..count).map(|_| json!({ "mesh": 0 })).collect();
        glb(&nodes, &(0..count).collect::<Vec<_>>())
    };
    assert_eq!(code("a.glb", &many(NODES_MAX)), format!("{} objects", NODES_MAX + 1));
    assert_eq!(code("a.glb", &many(NODES_MAX + 1)), "PRODUCT_STRUCTURE_TOO_LARGE");
    assert_eq!(code("a.glb", b"glTF\x02\0\0\0\xff\xff\0\0\xff\xff\xff\xffJSON{}"), "MESH_DAMAGED");
    assert_eq!(code("a.gltf", b"{\"nodes\": 7}"), "MESH_DAMAGED");
    let built =
        |resources: &str, items: &str| package(&[("3D/3dmodel.model", &model("inch", resources, items))]);
    let twice = |id: u32| format!("<component objectid='{id}'/>").repeat(2);
    let own = format!("<object id='1'><components>{}</components></object>", twice(1));
    assert_eq!(code("a.3mf", &built(&own, "<item objectid='1'/>")), "PRODUCT_STRUCTURE_TOO_DEEP");
    let mut doubled = format!("<object id='0'>{}</object>", triangle(1));
    for id in 1..=40 {
        doubled += &format!("<object id='{id}'><components>{}</components></object>", twice(id - 1));
    }
    assert_eq!(code("a.3mf", &built(&doubled, "<item objectid='40'/>")), "PRODUCT_STRUCTURE_TOO_LARGE");
    assert_eq!(code("a.3mf", &built("", "<item objectid='1'/>")), "MESH_DAMAGED");
    let zip = package(&[("a.txt", "of 3D/3dmodel.model"), ("b/3D/3dmodel.model", "<a>")]);
    assert_eq!(code("a.3mf", &zip), "MESH_DAMAGED");
    assert_eq!(code("a.zip", &zip), "", "a ZIP is what its name says");
}

#[test]
fn texts_of_the_file_are_shortened_and_lose_what_cannot_be_stored() {
    let long = "x".repeat(300);
    let nodes = json!([{ "name": "a\u{0}b", "mesh": 0 }, { "name": long, "mesh": 0 }, { "name": "SOLID", "mesh": 2 }]);
    let conversion = read("a.glb", &glb(&nodes, &[0, 1, 2]));
    let objects = conversion.objects();
    assert_eq!(objects[1].data["occurrence"]["name"], "ab");
    assert_eq!(objects[2].data["occurrence"]["name"].as_str().unwrap().len(), 255);
    assert_eq!(objects[3].name.as_str(), "a.glb", "a placeholder is no name");
    assert!(!objects[3].data.contains_key("occurrence"));
}
