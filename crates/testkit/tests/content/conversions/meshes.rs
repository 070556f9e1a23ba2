//! Mesh files with parts: their objects in the tree, in bills, in previews, and in the next version of the file.

use std::collections::HashSet;
use std::io::{Cursor, Write};

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::open_session::OpenSession;
use testkit::session::objects;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::bom::support::lines;
use crate::conversions::support::{data, failure};

/// A glTF file as text: two washers at these places along x, and a rod, below a root. A washer is a triangle.
fn stack(names: [&str; 2], places: [f64; 2]) -> String {
    let washer = |name: &str, x: f64| json!({ "name": name, "mesh": 0, "translation": [x, 0, 0] });
    let [left, right] = names;
    let [first, second] = places;
    let nodes = json!([
        { "name": "Stack", "children": [1, 2, 3] }, washer(left, first), washer(right, second),
        { "name": "rod", "mesh": 1, "scale": [9, 1, 1] },
    ]);
    let mesh = |name: &str| json!({ "name": name, "primitives": [{ "attributes": { "POSITION": 0 } }] });
    // Three points of numbers of 32 bits: the origin, 1 along x, and 1 along y.
    let points = "data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA";
    let document = json!({
        "asset": { "version": "2.0" }, "scenes": [{ "nodes": [0] }], "nodes": nodes,
        "meshes": [mesh("washer"), mesh("rod")],
        "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "buffers": [{ "byteLength": 36, "uri": points }],
    });
    document.to_string()
}

/// A package with this main part.
fn three_mf(resources: &str, items: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("3D/3dmodel.model", SimpleFileOptions::default()).unwrap();
    let model =
        format!("<model unit='millimeter'><resources>{resources}</resources><build>{items}</build></model>");
    zip.write_all(model.as_bytes()).unwrap();
    zip.finish().unwrap().into_inner()
}

fn id(object: &Value) -> &str {
    object["id"].as_str().unwrap()
}

/// The preview of an object when it is made.
async fn made(opened: &OpenSession, object: &str) -> Value {
    let path = format!("/api/v1/projects/{}/objects/{object}/preview", opened.project);
    loop {
        let preview = opened.session.grant.get(&path).await.expect(200).json();
        if preview["status"] != "making" {
            return preview;
        }
    }
}

/// The flat bill of the project, as lines.
async fn bill(opened: &OpenSession) -> String {
    let path = format!("/api/v2/projects/{}/bom?view=flat", opened.project);
    lines(&opened.caller.get(&path).await.expect(200).json())
}

#[tokio::test]
async fn nodes_of_a_gltf_file_are_parts_that_bills_count_and_the_viewer_finds() {
    let opened = OpenSession::open().await;
    let file = stack(["left", "right"], [0.0, 2.0]);
    let all = objects(&opened.session.upload(&opened.model, "stack.gltf", file).await.expect(200));
    let shown: Vec<String> =
        all.iter().map(|object| format!("{} {}", object["type"], object["name"])).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    "Assembly" "Stack"
    "Part" "left"
    "Part" "right"
    "Part" "rod"
    "#);
    assert!(all[1..].iter().all(|part| part["parent"] == all[0]["id"]));
    let right = data(&opened, &all[2]).await;
    assert_eq!(right["definition"], data(&opened, &all[1]).await["definition"]);
    assert_eq!(right["placement"][0], json!([1.0, 0.0, 0.0, 2.0]));
    assert_snapshot!(bill(&opened).await, @r"
    washer 2/2
    rod 1/1
    ");
    // Each node of the GLB has the number of its object.
    let preview = made(&opened, id(&all[0])).await;
    assert_eq!(preview["status"], "ready", "{preview}");
    let ids: Vec<&str> = all.iter().map(id).collect();
    assert_eq!(preview["shape"]["objects"], json!(ids));
    // The rod is a stretched triangle of its own axes, so nothing of it is told.
    let of_rod = made(&opened, ids[3]).await["shape"].clone();
    assert_eq!((&of_rod["objects"], &of_rod["part"]), (&preview["shape"]["objects"], &json!({})));
    let washer = made(&opened, ids[1]).await["shape"]["part"].clone();
    assert_eq!((&washer["area"], washer.get("volume")), (&json!(0.5), None));
    let path =
        |object: &str, what: &str| format!("/api/v1/projects/{}/objects/{object}/{what}", opened.project);
    let glb = opened.session.grant.get(&path(ids[0], "derived/glb")).await.expect(200).body;
    let length = usize::try_from(u32::from_le_bytes(glb[12..16].try_into().unwrap())).unwrap();
    let model: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let numbers =
        model["nodes"].as_array().unwrap().iter().filter_map(|node| node["extras"]["object"].as_u64());
    assert_eq!(numbers.collect::<HashSet<_>>(), HashSet::from([0, 1, 2, 3]));
    opened.session.grant.get(&path(ids[3], "thumbnail")).await.expect(200);
}

#[tokio::test]
async fn parts_of_a_mesh_file_keep_their_ids_in_its_next_version() {
    let opened = OpenSession::open().await;
    let first = stack(["left", "right"], [0.0, 2.0]);
    let before = objects(&opened.session.upload(&opened.model, "stack.gltf", first).await.expect(200));
    let rod = format!("/api/v2/projects/{}/objects/{}", opened.project, id(&before[3]));
    opened.caller.patch(&rod).json(json!({ "data": { "supplier": "ACME" } })).await.expect(200);
    // One washer is renamed in its place, the other one has moved; they stand in another order.
    let next = stack(["right", "middle"], [5.0, 0.0]);
    let replaced = opened.session.replace(id(&before[0]), "stack.gltf", next).await.expect(200);
    let after = objects(&replaced);
    let ids: Vec<&str> = after.iter().map(id).collect();
    assert_eq!(ids, before.iter().map(id).collect::<Vec<_>>(), "{replaced}");
    assert_eq!((&after[1]["name"], &after[2]["name"]), (&json!("middle"), &json!("right")));
    assert_eq!(data(&opened, &after[2]).await["placement"][0], json!([1.0, 0.0, 0.0, 5.0]));
    assert_eq!(data(&opened, &after[3]).await["supplier"], "ACME");
    // A version with a single shape is a file again, and its parts are gone.
    let single = stack(["a", "b"], [0.0, 0.0]).replace("\"children\":[1,2,3]", "\"mesh\":0");
    let last = objects(&opened.session.replace(id(&before[0]), "stack.gltf", single).await.expect(200));
    assert_eq!((last.len(), id(&last[0]), &last[0]["type"]), (1, ids[0], &json!("File")));
}

#[tokio::test]
async fn components_of_a_3mf_are_counted_and_endless_ones_are_a_file_with_a_reason() {
    let opened = OpenSession::open().await;
    let nut = "<object id='1' name='nut'><mesh><vertices><vertex x='0' y='0' z='0'/><vertex x='1' y='0' z='0'/>\
        <vertex x='0' y='1' z='0'/></vertices><triangles><triangle v1='0' v2='1' v3='2'/></triangles></mesh></object>";
    let pair = "<object id='2' name='pair'><components><component objectid='1'/>\
        <component objectid='1' transform='1 0 0 0 1 0 0 0 1 4 0 0'/></components></object>";
    let items =
        "<item objectid='2'/><item objectid='2' transform='1 0 0 0 1 0 0 0 1 0 8 0'/><item objectid='1'/>";
    let plate = three_mf(&format!("{nut}{pair}"), items);
    let all = objects(&opened.session.upload(&opened.model, "plate.3mf", plate).await.expect(200));
    assert_eq!((all.len(), &all[0]["name"], &all[0]["type"]), (8, &json!("plate.3mf"), &json!("Assembly")));
    assert_eq!(data(&opened, &all[1]).await["units"]["length"]["name"], "millimetre");
    assert_snapshot!(bill(&opened).await, @"nut 5/5");
    let preview = made(&opened, id(&all[2])).await;
    let ids: Vec<&str> = all.iter().map(id).collect();
    assert_eq!(preview["shape"]["objects"], json!(ids), "{preview}");

    let endless = three_mf(
        "<object id='1'><components><component objectid='1'/></components></object>",
        "<item objectid='1'/>",
    );
    let answer = opened.session.upload(&opened.model, "endless.3mf", endless).await.expect(200);
    assert_eq!(failure(&opened, &answer).await, "PRODUCT_STRUCTURE_TOO_DEEP");
}
