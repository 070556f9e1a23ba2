//! Batches: many operations, atomic.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::deployment::{Deployment, Options};
use testkit::seed::ABSENT_ID;

use crate::support::{Project, texts};

#[tokio::test]
async fn operations_of_a_batch_may_use_objects_that_it_creates() {
    let project = Project::open().await;
    let old = project.create(&project.model, "Old").await;
    let answer = project
        .batch(json!([
            { "op": "create", "ref": "gear", "name": "Gear", "parent": project.model },
            { "op": "create", "ref": "rim", "name": "Rim", "parent": "#gear" },
            { "op": "create", "name": "Tooth", "parent": "#rim", "type": "Part", "data": { "n": 1 } },
            { "op": "update", "id": "#rim", "name": "Outer rim" },
            { "op": "update", "id": old, "parent": "#rim" },
            { "op": "create", "ref": "scrap", "name": "Scrap" },
            { "op": "create", "name": "More scrap", "parent": "#scrap" },
            { "op": "delete", "id": "#scrap" },
        ]))
        .await;
    assert_snapshot!(answer, @r##"
    201 {
      "created": 5,
      "deleted": 2,
      "results": [
        {"id":"<id 1>","ref":"gear"},
        {"id":"<id 2>","ref":"rim"},
        {"id":"<id 3>"},
        {"id":"<id 2>"},
        {"id":"<id 4>"},
        {"id":"<id 5>","ref":"scrap"},
        {"id":"<id 6>"},
        {"id":"<id 5>"}
      ],
      "updated": 2
    }
    "##);
    assert_snapshot!(project.outline().await, @"
    7 objects
    Model 1
      Gear 1
        Outer rim 2
          Old 0
          Tooth 0
    Library 0
    ");
    let changes = project.changes("main").await;
    assert_eq!((&changes["totalObjectChanges"], &changes["deleted"]), (&json!(4), &json!([])));
}

#[tokio::test]
async fn siblings_have_the_order_of_their_creation_in_the_batch() {
    let project = Project::open().await;
    let names: Vec<String> = (0..200).map(|number| format!("Part {number}")).collect();
    let operations: Vec<Value> =
        names.iter().map(|name| json!({ "op": "create", "name": name, "parent": project.model })).collect();
    project.batch(json!(operations)).await.expect(201);
    let tree = project.get(&format!("tree?root={}", project.model)).await.expect(200).json();
    assert_eq!(texts(&tree["tree"], "name")[1..], names);
}

#[tokio::test]
async fn one_invalid_operation_refuses_the_whole_batch_and_is_named() {
    let project = Project::open().await;
    let gear = project.create(&project.model, "Gear").await;
    let tooth = project.create(&gear, "Tooth").await;
    let before = project.get("tree").await.expect(200).json();
    let nowhere = ABSENT_ID;
    for (bad, expected) in [
        (json!({ "op": "rename" }), "400 INVALID_REQUEST body.operations[1].op enum"),
        (json!({ "op": "create" }), "400 INVALID_REQUEST body.operations[1].name required"),
        (json!({ "op": "delete", "id": gear, "x": 1 }), "400 INVALID_REQUEST body.operations[1].x unknown"),
        (
            json!({ "op": "create", "name": "x", "parent": "#later" }),
            "400 INVALID_REQUEST body.operations[1].parent exists",
        ),
        (
            json!({ "op": "create", "name": "x", "parent": "x" }),
            "400 INVALID_REQUEST body.operations[1].parent format",
        ),
        (
            json!({ "op": "create", "name": "x", "parent": nowhere }),
            "400 INVALID_REQUEST body.operations[1].parent exists",
        ),
        (
            json!({ "op": "create", "name": "x", "ref": "a" }),
            "400 INVALID_REQUEST body.operations[1].ref duplicate",
        ),
        (json!({ "op": "update", "id": gear }), "400 INVALID_REQUEST body.operations[1] minProperties"),
        (
            json!({ "op": "update", "id": nowhere, "name": "x" }),
            "400 INVALID_REQUEST body.operations[1].id exists",
        ),
        (
            json!({ "op": "update", "id": gear, "parent": tooth }),
            "400 INVALID_REQUEST body.operations[1].parent cycle",
        ),
        (
            json!({ "op": "update", "id": gear, "data": { "\u{0}": 1 } }),
            "400 INVALID_REQUEST body.operations[1].data format",
        ),
        (json!({ "op": "delete", "id": nowhere }), "400 INVALID_REQUEST body.operations[1].id exists"),
    ] {
        let operations = json!([
            { "op": "create", "ref": "a", "name": "Good" },
            bad,
            { "op": "create", "ref": "later", "name": "x" },
        ]);
        assert_eq!(project.batch(operations).await.to_string(), expected);
    }
    let stale =
        json!([{ "op": "create", "name": "x" }, { "op": "delete", "id": gear, "ifMatch": "\"stale\"" }]);
    assert_eq!(project.batch(stale).await.status, 412);
    let reserved = json!([{ "op": "create", "name": "x" }, { "op": "delete", "id": project.model }]);
    assert_eq!(project.batch(reserved).await.code(), "RESERVED_OBJECT");
    let twice = json!([{ "op": "delete", "id": gear }, { "op": "update", "id": tooth, "name": "x" }]);
    assert_snapshot!(project.batch(twice).await, @"400 INVALID_REQUEST body.operations[1].id exists");
    assert_snapshot!(project.batch(json!([])).await, @"400 INVALID_REQUEST body.operations minItems");
    assert_eq!(project.get("tree").await.expect(200).json(), before);
}

#[tokio::test]
async fn two_objects_may_swap_their_places_within_a_batch() {
    let project = Project::open().await;
    let upper = project.create(&project.model, "Upper").await;
    let lower = project.create(&upper, "Lower").await;
    project.commit("main", "Two").await;
    let turn = json!([
        { "op": "update", "id": upper, "parent": lower },
        { "op": "update", "id": lower, "parent": project.model },
    ]);
    project.batch(turn).await.expect(201);
    assert_snapshot!(project.outline().await, @"
    5 objects
    Model 1
      Lower 1
        Upper 0
    Library 0
    ");
    // A temporary cycle is allowed.
    let circle = json!([
        { "op": "update", "id": lower, "parent": upper },
        { "op": "delete", "id": upper },
    ]);
    let answer = project.batch(circle).await.expect(201).json();
    assert_eq!(answer["deleted"], 2);
    assert_eq!(project.changes("main").await["deleted"], json!([upper, lower]));
}

#[tokio::test]
async fn a_batch_with_a_key_is_applied_once() {
    let project = Project::open().await;
    let batch = || project.batch(json!([{ "op": "create", "name": "x" }])).idempotency_key("k").into_future();
    let (first, second) = (batch().await.expect(201), batch().await.expect(201));
    assert!(second.is_replay());
    assert_eq!(first.json(), second.json());
    assert_eq!(project.changes("main").await["totalObjectChanges"], 1);
}

#[tokio::test]
async fn ten_thousand_operations_are_the_limit() {
    let project = Project::open().await;
    let create = |number: usize| {
        json!({
            "op": "create", "name": format!("Part {number}"), "parent": project.model,
            "data": { "text": "x".repeat(100) },
        })
    };
    let mut operations: Vec<Value> = (0..10_000).map(create).collect();
    let body = json!(operations).to_string();
    assert!(body.len() > 1024 * 1024, "larger than other bodies may be");
    let made = project.batch(json!(operations)).await.expect(201).json();
    assert_eq!(made["created"], 10_000);
    operations.push(create(10_000));
    assert_snapshot!(project.batch(json!(operations)).await, @"400 INVALID_REQUEST body.operations maxItems");
    // Change all of them, then delete all of them.
    let ids = texts(&made["results"], "id");
    let update = |id: &String| json!({ "op": "update", "id": id, "data": { "n": 1 } });
    project.batch(ids.iter().map(update).collect()).await.expect(201);
    project.commit("main", "Many").await;
    let delete = |id: &String| json!({ "op": "delete", "id": id });
    project.batch(ids.iter().map(delete).collect()).await.expect(201);
    assert_eq!(project.changes("main").await["totalObjectChanges"], 10_000);
    project.commit("main", "None").await;
    assert_eq!(project.get("tree").await.json()["objectCount"], 3);
}

#[tokio::test]
async fn the_size_of_a_batch_is_a_setting() {
    let environment = vec![("batch_body_bytes", "1000".to_owned())];
    let project = Project::on(Deployment::with(Options { environment, ..Options::default() }).await).await;
    let create = |bytes: usize| {
        project.batch(json!([{ "op": "create", "name": "x", "data": { "a": "x".repeat(bytes) } }]))
    };
    create(500).await.expect(201);
    assert_snapshot!(create(1_000).await, @r#"413 PAYLOAD_TOO_LARGE {"limitBytes":1000}"#);
}
