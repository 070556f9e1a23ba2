//! Bills of materials in a terminal and as files, and where parts are used.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::CommandLine;

/// A project with a machine of two bolts and a wire.
async fn with_machine() -> CommandLine {
    let terminal = CommandLine::open().await;
    let path = format!("/api/v2/projects/{}", terminal.project);
    let tree = terminal.caller.get(&format!("{path}/tree")).await.expect(200).json();
    let nodes = tree["tree"].as_array().unwrap();
    let model = nodes.iter().find(|node| node["name"] == "Model").unwrap();
    let object = |reference: &str, name: &str, parent: Value, data: Value| {
        let named = json!({ "op": "create", "ref": reference, "name": name, "type": "Part" });
        let mut operation = named.as_object().unwrap().clone();
        operation.extend([("parent".to_owned(), parent), ("data".to_owned(), data)]);
        Value::Object(operation)
    };
    let bolt =
        json!({ "definition": { "name": "bolt", "material": { "name": "steel" } }, "supplier": "ACME" });
    let wire = json!({
        "definition": { "id": "W-1", "name": "wire" },
        "occurrence": { "quantity": { "value": 0.5, "unit": "metre" } },
    });
    let operations = [
        object("machine", "machine", model["id"].clone(), json!({ "definition": { "name": "machine" } })),
        object("a", "left bolt", json!("#machine"), bolt.clone()),
        object("b", "right bolt", json!("#machine"), bolt),
        object("c", "wire", json!("#machine"), wire),
    ];
    let body = json!({ "operations": operations });
    terminal.caller.post(&format!("{path}/objects/batch")).json(body).await.expect(201);
    terminal
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bill_is_shown_and_written_to_files() {
    let terminal = with_machine().await;
    assert_snapshot!(terminal.run(&["bom", "gearbox"]).await.expect(0).shown(), @r"
    NAME     QUANTITY   TOTAL      PARTNUMBER, MATERIAL
    machine  1          1          -, -
      bolt   2          2          -, steel
      wire   0.5 metre  0.5 metre  W-1, -
    ");
    let flat = ["bom", "gearbox:/Model/machine", "--flat", "--properties", "supplier"];
    assert_snapshot!(terminal.run(&flat).await.expect(0).shown(), @r"
    NAME  QUANTITY   TOTAL      SUPPLIER
    bolt  2          2          ACME
    wire  0.5 metre  0.5 metre  -
    ");
    let json = terminal.run(&["bom", "gearbox", "--json"]).await.expect(0).lines();
    assert_eq!(json[0]["rows"].as_array().unwrap().len(), 3);
    let csv = terminal.run(&["bom", "gearbox", "--flat", "--format", "csv"]).await.expect(0);
    assert!(csv.stdout.starts_with("level,name,type,"), "{}", csv.stdout);
    let file = terminal.files.path().join("bill.xlsx");
    let to_file = ["bom", "gearbox", "-o", file.to_str().unwrap()];
    terminal.run(&to_file).await.expect(0);
    assert!(std::fs::read(&file).unwrap().starts_with(b"PK"));
    let again = terminal.run(&to_file).await.expect(1);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    terminal.run(&[&to_file[..], &["--force"]].concat()).await.expect(0);
    terminal.run(&["bom", "gearbox", "--format", "xlsx"]).await.expect(2);
    let missing = terminal.run(&["bom", "gearbox", "--at", "1234567890123456789012345678901234567890"]).await;
    missing.expect(6);
}

#[tokio::test(flavor = "multi_thread")]
async fn uses_of_an_object_and_of_a_part_number_are_shown() {
    let terminal = with_machine().await;
    let of_object = terminal.run(&["uses", "gearbox:/Model/machine/left bolt"]).await.expect(0);
    assert_snapshot!(of_object.stdout, @r"
    PROJECT  ASSEMBLY  QUANTITY  TOTAL  IN
    gearbox  machine   2         2      machine
    ");
    assert!(of_object.stderr.contains("1 project searched"), "{}", of_object.stderr);
    let of_part = terminal.run(&["uses", "--part", "W-1", "--json"]).await.expect(0).lines();
    assert_eq!(of_part[0]["uses"][0]["unit"], "metre");
    let nothing = terminal.run(&["uses", "--part", "W-2"]).await.expect(0);
    assert!(nothing.stderr.contains("Nothing uses it."), "{}", nothing.stderr);
}
