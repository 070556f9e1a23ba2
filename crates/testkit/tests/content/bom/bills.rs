//! Bills of branches and commits, and of real designs.

use std::collections::BTreeMap;
use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::environment;
use testkit::open_session::OpenSession;
use testkit::seed::ABSENT_ID;
use testkit::session::objects;

use crate::bom::support::{bill, lines, part, with_machine};

#[tokio::test]
async fn a_bill_has_equal_siblings_in_one_row_and_the_quantities_in_the_whole() {
    let (project, ids) = with_machine().await;
    assert_snapshot!(bill(&project, "").await, @r"
    machine 1/1
      pair 2/2
        bolt 2/4
      bolt 1/1
    ");
    assert_snapshot!(bill(&project, "view=flat").await, @"bolt 5/5");
    assert_snapshot!(bill(&project, "depth=1").await, @r"
    machine 1/1
      pair 2/2
      bolt 1/1
    ");
    assert_snapshot!(bill(&project, &format!("root={}", ids[1])).await, @r"
    pair 1/1
      bolt 2/2
    ");
    assert_eq!(bill(&project, &format!("root={}", project.id)).await, bill(&project, "").await);
    let rows = project.get("bom").await.expect(200).json();
    assert_eq!(rows["rows"][2]["objects"].as_array().unwrap().len(), 4);
    assert_eq!(rows["rows"][2]["definition"], json!({ "id": "bolt", "name": "bolt" }));
    assert_eq!((&rows["branch"], &rows["root"]), (&json!("main"), &Value::Null));
}

#[tokio::test]
async fn uncommitted_changes_count_and_commits_stay_as_they_are() {
    let (project, ids) = with_machine().await;
    let first = project.commit("main", "Build the machine").await;
    let whole = bill(&project, "").await;
    assert_eq!(bill(&project, &format!("commit={first}")).await, whole);
    // One bolt less in one pair, one more in the machine.
    project.delete(&format!("objects/{}", ids[2])).await.expect(200);
    project.batch(json!([part(&ids[0], "bolt")])).await.expect(201);
    let changed = bill(&project, "").await;
    assert_snapshot!(changed, @r"
    machine 1/1
      pair 1/1
        bolt 1/1
      pair 1/1
        bolt 2/2
      bolt 2/2
    ");
    assert_eq!(bill(&project, &format!("commit={first}")).await, whole);
    let second = project.commit("main", "Loosen a bolt").await;
    assert_eq!(bill(&project, "").await, changed);
    let answer = project.get(&format!("bom?commit={second}")).await.expect(200).json();
    assert_eq!(lines(&answer), changed);
    assert_eq!((&answer["commitHash"], &answer["branch"]), (&json!(second), &Value::Null));
    project.post("branches", json!({ "name": "early", "fromCommit": first })).await.expect(201);
    assert_eq!(bill(&project, "branch=early").await, whole);
    let of_path = format!("/api/v2/projects/{}--early/bom", project.id);
    assert_eq!(lines(&project.caller.get(&of_path).await.expect(200).json()), whole);
}

#[tokio::test]
async fn a_bill_shows_the_properties_that_are_asked_for() {
    let (project, ids) = with_machine().await;
    for (id, supplier) in [(&ids[2], "ACME"), (&ids[3], "Bolts & Co"), (&ids[5], "ACME")] {
        let data = json!({ "supplier": supplier, "size": { "x": 8 }, "partNumber": "=4711" });
        project.patch(&format!("objects/{id}"), json!({ "data": data })).await.expect(200);
    }
    let read = async |query: &str| {
        let answer = project.get(&format!("bom?view=flat{query}")).await.expect(200).json();
        answer["rows"][0]["properties"].clone()
    };
    assert_eq!(read("").await, json!({ "partNumber": ["=4711"] }));
    let chosen = "&properties=supplier,/data/size/x,/data/definition/id,missing";
    let shown =
        json!({ "supplier": ["ACME", "Bolts & Co"], "/data/size/x": [8], "/data/definition/id": ["bolt"] });
    assert_eq!(read(chosen).await, shown);
}

#[tokio::test]
async fn a_bill_of_nothing_there_is_refused() {
    let (project, _) = with_machine().await;
    let head = project.head("main").await;
    assert_snapshot!(project.get(&format!("bom?root={ABSENT_ID}")).await, @"404 NOT_FOUND");
    assert_snapshot!(project.get(&format!("bom?commit={}", "1".repeat(40))).await, @"404 NOT_FOUND");
    assert_snapshot!(project.get("bom?branch=none").await, @"404 NOT_FOUND");
    let both = project.get(&format!("bom?branch=main&commit={head}")).await;
    assert_snapshot!(both, @"400 INVALID_REQUEST query.commit conflict");
    assert_snapshot!(project.get("bom?format=pdf").await, @"400 INVALID_REQUEST query.format enum");
    assert_snapshot!(project.get("bom?view=tree").await, @"400 INVALID_REQUEST query.view enum");
    project.get("bom?properties=/name").await.expect(400);
}

#[tokio::test]
async fn doubled_parts_are_counted_and_told() {
    let (project, ids) = with_machine().await;
    let placed = |parent: &str| {
        let data = json!({ "definition": { "name": "pin" }, "placement": [[1, 0, 0, 5], [0, 1, 0, 0]] });
        json!({ "op": "create", "name": "pin", "type": "Part", "parent": parent, "data": data })
    };
    project.batch(json!([placed(&ids[0]), placed(&ids[0])])).await.expect(201);
    let answer = project.get("bom?view=flat").await.expect(200).json();
    assert_eq!(lines(&answer), "bolt 5/5\npin 2/2");
    assert_eq!(answer["warnings"][0]["kind"], "doubled");
    assert_eq!(answer["warnings"][0]["objectCount"], 1);
}

#[tokio::test]
async fn real_designs_have_the_quantities_of_other_tools() {
    let Some(inputs) = environment::shared_inputs() else {
        eprintln!("NOT TESTED: there are no real files in ../shared/inputs or ATELIER_TEST_INPUTS");
        return;
    };
    let opened = OpenSession::open().await;
    for (file, expected) in [
        (
            "open/step/as1-oc-214.stp",
            vec![("bolt", 6), ("l-bracket", 2), ("nut", 8), ("plate", 1), ("rod", 1)],
        ),
        ("open/step/dm1-id-214.stp", vec![("bolt", 3), ("l-bracket", 1), ("nut", 3)]),
    ] {
        let bytes = fs::read(inputs.join(file)).unwrap();
        let upload = opened.session.upload(&opened.model, file.rsplit('/').next().unwrap(), bytes).await;
        let root = objects(&upload.expect(200))[0]["id"].as_str().unwrap().to_owned();
        let path = format!("/api/v2/projects/{}/bom?view=flat&root={root}", opened.project);
        let answer = opened.caller.get(&path).await.expect(200).json();
        let rows = answer["rows"].as_array().unwrap().iter();
        let found: BTreeMap<&str, u64> =
            rows.map(|row| (row["name"].as_str().unwrap(), row["totalQuantity"].as_u64().unwrap())).collect();
        assert_eq!(found, BTreeMap::from_iter(expected), "{file}");
    }
}

#[tokio::test]
async fn an_agent_reads_the_bill_of_its_project() {
    let (project, _) = with_machine().await;
    let session = testkit::session::Session::open(&project.caller, &project.id).await;
    let body =
        json!({ "toolbox": "project", "tool": "get_bom", "params": { "view": "flat", "format": "xlsx" } });
    let answer =
        project.caller.post(&format!("{}/tools/invoke", session.path())).json(body).await.expect(200);
    let text = String::from_utf8(answer.body.to_vec()).unwrap();
    assert!(text.contains("totalQuantity") && text.contains("bolt"), "JSON in any format: {text}");
}
