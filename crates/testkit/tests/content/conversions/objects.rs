//! Objects of a file, and the files that they own.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::invariants::stored_blobs;
use testkit::open_session::OpenSession;
use testkit::session::{file_name, objects};
use testkit::upload::{ASSEMBLY, sha256};

use crate::conversions::support::{data, pdf};

#[tokio::test]
async fn an_assembly_becomes_a_tree_whose_root_owns_the_file() {
    let opened = OpenSession::open().await;
    let answer = opened.session.upload(&opened.model, "gear.STEP", ASSEMBLY).await.expect(200);
    let shown = answer.to_string().replace(&sha256(ASSEMBLY.as_bytes()), "<sha256>");
    assert_snapshot!(shown, @r#"
    200 {
      "object": {
        "<id 1>": {
          "extension": ".step",
          "fileName": "gear.STEP",
          "id": "<id 1>",
          "kind": "assembly",
          "mimeType": "model/step",
          "name": "Gearbox",
          "parent": "<id 2>",
          "sha256": "<sha256>",
          "size": 722,
          "type": "Assembly"
        },
        "<id 3>": {"id":"<id 3>","kind":"geometry","name":"left","parent":"<id 1>","type":"Part"},
        "<id 4>": {"id":"<id 4>","kind":"geometry","name":"right","parent":"<id 1>","type":"Part"}
      }
    }
    "#);
    let all = objects(&answer);
    assert_eq!(all[0]["parent"], opened.model.as_str());
    assert!(all[1..].iter().all(|part| part["parent"] == all[0]["id"]));
    assert_eq!(data(&opened, &all[1]).await["definition"], data(&opened, &all[2]).await["definition"]);

    let path = opened.session.download_path(&file_name(&all[0]));
    assert_eq!(opened.session.grant.get(&path).await.expect(200).body, ASSEMBLY);
    let mut ids: Vec<&str> = all.iter().map(|object| object["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(opened.added().await, ids);

    // The tree names an occurrence, and its product beside it; the branch and the commit do so alike.
    let project = format!("/api/v2/projects/{}", opened.project);
    let occurrences = async || {
        let tree = opened.caller.get(&format!("{project}/tree")).await.expect(200).json();
        let nodes = tree["tree"].as_array().unwrap().iter().filter(|node| node["type"] == "Part");
        nodes.map(|node| format!("{} of {}", node["name"], node["product"])).collect::<Vec<_>>().join(", ")
    };
    let named = r#""left" of "Gear 20T", "right" of "Gear 20T""#;
    assert_eq!(occurrences().await, named);
    let commits = format!("{project}/branches/main/commits");
    opened.caller.post(&commits).json(json!({ "message": "Add gears" })).await.expect(201);
    assert_eq!(occurrences().await, named);
}

#[tokio::test]
async fn a_document_becomes_pages_in_order_each_with_an_image() {
    let opened = OpenSession::own().await;
    let file = pdf(&["1 0 0 rg 0 0 36 36 re f", "", "0 0 1 rg 9 9 9 9 re f", ""]);
    let answer = opened.session.upload(&opened.model, "manual.pdf", file.clone()).await.expect(200);
    let all = objects(&answer);
    let shown: Vec<String> = all
        .iter()
        .map(|object| {
            let text = |field: &str| object[field].as_str().unwrap_or_default();
            format!("{} {} {} {}", text("type"), text("name"), text("mimeType"), text("extension"))
        })
        .collect();
    assert_snapshot!(shown.join("\n"), @"
    Document manual.pdf application/pdf .pdf
    Page Page 1 image/png .png
    Page Page 2 image/png .png
    Page Page 3 image/png .png
    Page Page 4 image/png .png
    ");
    for page in &all[1..] {
        assert_eq!((&page["parent"], &page["kind"]), (&all[0]["id"], &Value::from("reference")));
        let path = opened.session.download_path(&file_name(page));
        let image = opened.session.grant.get(&path).await.expect(200);
        assert_eq!(image.header("content-type"), "image/png");
        assert_eq!(image.header("content-length"), page["size"].to_string());
        assert!(image.body.starts_with(b"\x89PNG"));
    }
    // Two pages are blank with equal images, which are stored once. So is the whole second upload.
    assert_eq!(all[2]["sha256"], all[4]["sha256"]);
    assert_eq!(stored_blobs(&opened.deployment.blob_folder()).len(), 4);
    opened.session.upload(&opened.model, "again.pdf", file).await.expect(200);
    assert_eq!(stored_blobs(&opened.deployment.blob_folder()).len(), 4);
    assert_eq!(opened.added().await.len(), 10);
}

#[tokio::test]
async fn source_becomes_code_and_other_files_become_a_reference() {
    let opened = OpenSession::open().await;
    let noise: Vec<u8> = (0..100_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    let mut shown = Vec::new();
    let files: [(&str, &[u8]); 6] = [
        ("a.py", b"print('hello')\n"),
        ("table.csv", b"a,b\n1,2\n"),
        ("noise.bin", &noise),
        ("empty", b""),
        ("archive.zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
        (
            "dot.gif",
            b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\x04\0\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;",
        ),
    ];
    for (name, bytes) in files {
        let answer = opened.session.upload(&opened.model, name, bytes).await.expect(200);
        let all = objects(&answer);
        let [only] = all.as_slice() else { panic!("{answer}") };
        assert_eq!(only["parent"], opened.model.as_str());
        let text = |field: &str| only[field].as_str().unwrap_or("-");
        let own = data(&opened, only).await;
        let (kind, media_type, extension) = (text("kind"), text("mimeType"), text("extension"));
        let (language, width) = (&own["language"], &own["image"]["width"]);
        shown.push(format!("{name}: {kind} {media_type} {extension} {language} {width}"));
    }
    assert_snapshot!(shown.join("\n"), @r#"
    a.py: code text/plain .py "Python" null
    table.csv: reference text/csv .csv null null
    noise.bin: reference application/octet-stream .bin null null
    empty: reference application/x-empty  null null
    archive.zip: reference application/zip .zip null null
    dot.gif: reference image/gif .gif null 1
    "#);
}

#[tokio::test]
async fn the_longest_uploaded_text_can_be_edited_but_not_extended() {
    let opened = OpenSession::own().await;
    let text = "n += 1\n".repeat(1024 * 1024 / 7);
    let answer = opened.session.upload(&opened.model, "long.py", text.clone()).await.expect(200);
    let code = &objects(&answer)[0];
    assert_eq!(code["kind"], "code");
    let path = format!("/api/v2/projects/{}/objects/{}", opened.project, code["id"].as_str().unwrap());
    opened.caller.patch(&path).json(json!({ "data": { "reviewed": true } })).await.expect(200);
    let batch = async |text: &str| {
        let change = json!({ "op": "update", "id": code["id"], "data": { "text": text } });
        let path = format!("/api/v2/projects/{}/objects/batch", opened.project);
        opened.caller.post(&path).json(json!({ "operations": [change] })).await
    };
    batch(&text.replace("n += 1", "n -= 1")).await.expect(201);
    let edited = data(&opened, code).await;
    assert!(edited["text"].as_str().unwrap().starts_with("n -= 1"), "{edited}");
    let beyond = batch(&"x".repeat(1024 * 1024 + 1)).await;
    assert_snapshot!(beyond, @"400 INVALID_REQUEST body.operations[0].data.text maxBytes");
}
