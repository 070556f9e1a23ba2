//! Keys of projects and cards.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::{Base, Caller};
use testkit::deployment::{Deployment, Options};
use testkit::open_session::eventually_async;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_CARDS};

use crate::cards::support::Project;

/// Creates a project; returns the answer's id and key.
async fn project(caller: &Caller, body: Value) -> (String, String) {
    let created = caller.post("/api/v2/projects").json(body).await.expect(201);
    (created.text("/id"), created.text("/key"))
}

#[tokio::test]
async fn cards_are_numbered_in_the_order_of_their_creation() {
    let project = Project::open().await;
    let key = |answer: &Value| answer["card"]["key"].as_str().unwrap().to_owned();
    for expected in ["GEAR-1", "GEAR-2"] {
        let created = project.post("cards", json!({ "name": "x" })).await.expect(201).json();
        assert_eq!((key(&created).as_str(), &created["indexCard"]["key"]), (expected, &json!(expected)));
    }
    project.delete("cards/GEAR-2").await.expect(200);
    // Refused creations take no number, and deleted cards give none back.
    let refused = json!({ "name": "x", "tagIds": [ABSENT_ID] });
    project.post("cards", refused).await.expect(400);
    let operations = json!([{ "op": "create", "name": "a" }, { "op": "create", "name": "b", "parentId": ABSENT_ID },
        { "op": "create", "name": "c", "parentId": "gear-1" }]);
    let bulk = project.post("cards/bulk", json!({ "operations": operations })).await.expect(200).json();
    let statuses: Vec<&Value> =
        bulk["results"].as_array().unwrap().iter().map(|result| &result["status"]).collect();
    assert_eq!(statuses, [201, 400, 201]);
    let read = project.get("cards/GEAR-4").await.expect(200).json();
    assert_eq!((&read["card"]["name"], &read["card"]["number"]), (&json!("c"), &json!(4)));
    assert_snapshot!(project.get("cards/GEAR-2").await, @"404 NOT_FOUND");
    assert_snapshot!(project.get("cards/GEAR-05").await, @"400 INVALID_REQUEST path.cardId format");
}

#[tokio::test]
async fn creations_at_once_leave_no_gap() {
    let project = Project::open().await;
    let created = join_all((0..40).map(async |at: u32| {
        let request = project.post("cards", json!({ "name": "x" }));
        // Half of them are batched.
        let request = if at.is_multiple_of(2) { request.idempotency_key(&format!("k{at}")) } else { request };
        request.await.expect(201).json()["card"]["number"].as_i64().unwrap()
    }));
    let numbers: BTreeSet<i64> = created.await.into_iter().collect();
    assert_eq!(numbers, (1..=40).collect());
}

#[tokio::test]
async fn a_key_stands_wherever_a_card_is_named() {
    let project = Project::open().await;
    let card = project.card("Cut the teeth").await;
    project.card("Grind the teeth").await;
    let id = |answer: &Value, place: &str| answer.pointer(place).and_then(Value::as_str).unwrap().to_owned();
    for name in ["GEAR-1", "gear-1"] {
        assert_eq!(id(&project.get(&format!("cards/{name}")).await.expect(200).json(), "/card/id"), card.id);
    }
    let changed = project.patch("cards/GEAR-1", json!({ "effort": 3 })).await.expect(200).json();
    assert_eq!(id(&changed, "/card/id"), card.id);
    assert_eq!(
        project.get("cards/GEAR-1/history").await.expect(200).json()["history"].as_array().unwrap().len(),
        2
    );
    project.post("cards/GEAR-1/comments", json!({ "body": "Yes." })).await.expect(201);
    project.get("cards/GEAR-1/comments").await.expect(200);
    project.put(&format!("cards/GEAR-1/assignees/{}", project.alice.id)).await.expect(200);
    let operations = json!([{ "op": "update", "cardId": "GEAR-1", "effort": 5 }]);
    let bulk = project.post("cards/bulk", json!({ "operations": operations })).await.expect(200).json();
    assert_eq!(id(&bulk, "/results/0/cardId"), card.id);
    let child = project.post("cards", json!({ "name": "x", "parentId": "GEAR-1" })).await.expect(201).json();
    assert_eq!(child["card"]["parent_id"], json!(card.id));
    let children = project.get("cards?parent=GEAR-1").await.expect(200).json();
    assert_eq!(children["cards"][0]["key"], "GEAR-3");
    // As a text it finds the card alone, also over all projects, and a text like a key is still a text.
    project.post("cards", json!({ "name": "After GEAR-1, see USB-3" })).await.expect(201);
    for list in [project.at("cards"), "/api/v2/cards".to_owned()] {
        let found = project.caller.get(&format!("{list}?q=gear-1")).await.expect(200).json();
        assert_eq!(found["cards"].as_array().unwrap().len(), 1, "{list}");
        assert_eq!(id(&found, "/cards/0/id"), card.id);
        let found = project.caller.get(&format!("{list}?q=gear-1&open=false")).await.expect(200).json();
        assert_eq!(found["cards"], json!([]), "{list}");
        let found = project.caller.get(&format!("{list}?q=usb-3")).await.expect(200).json();
        assert_eq!(found["cards"][0]["key"], "GEAR-4", "{list}");
    }
    let deleted = project.delete("cards/GEAR-1").await.expect(200).json();
    assert_eq!(id(&deleted, "/cardId"), card.id);
}

#[tokio::test]
async fn a_changed_key_goes_on_naming_the_cards() {
    let gear = Project::open().await;
    gear.card("x").await;
    let path = format!("/api/v2/projects/{}", gear.id);
    let changed = gear.caller.patch(&path).json(json!({ "key": "tooth" })).await.expect(200).json();
    assert_eq!(changed["project"]["key"], "TOOTH");
    for name in ["GEAR-1", "TOOTH-1"] {
        assert_eq!(gear.get(&format!("cards/{name}")).await.expect(200).json()["card"]["key"], "TOOTH-1");
    }
    let taken = json!({ "name": "Other", "key": "GEAR" });
    assert_snapshot!(gear.caller.post("/api/v2/projects").json(taken).await, @"409 PROJECT_KEY_TAKEN");
    // A derived key gives way, and the project can have its former one back.
    let (other, key) = project(&gear.caller, json!({ "name": "Gear" })).await;
    assert_eq!(key, "GEARA");
    let stolen =
        gear.caller.patch(&format!("/api/v2/projects/{other}")).json(json!({ "key": "Tooth" })).await;
    assert_snapshot!(stolen, @"409 PROJECT_KEY_TAKEN");
    gear.caller.patch(&path).json(json!({ "key": "GEAR" })).await.expect(200);
    for refused in ["G", "GEARBOX", "G3AR", "ÄÖ"] {
        let answer = gear.caller.patch(&path).json(json!({ "key": refused })).await;
        assert_eq!(answer.to_string(), "400 INVALID_REQUEST body.key pattern", "{refused}");
    }
    // Nor does the key of a deleted project go to another one.
    gear.caller.delete(&path).await.expect(200);
    let again = json!({ "name": "Gear", "key": "TOOTH" });
    assert_snapshot!(gear.caller.post("/api/v2/projects").json(again).await, @"409 PROJECT_KEY_TAKEN");
    gear.caller.get(&format!("/api/v2/projects/{other}/cards/GEAR-1")).await.expect(404);
}

#[tokio::test]
async fn keys_of_different_owners_are_independent() {
    let gear = Project::open().await;
    gear.card("x").await;
    let bob = gear.deployment.operator().user("bob").await;
    let caller = bob.key(MANAGE_WITH_CARDS).await;
    let (theirs, key) = project(&caller, json!({ "name": "Gear" })).await;
    assert_eq!(key, "GEAR");
    assert_snapshot!(caller.get(&format!("/api/v2/projects/{theirs}/cards/GEAR-1")).await, @"404 NOT_FOUND");
    assert_snapshot!(caller.get(&gear.at("cards/GEAR-1")).await, @"404 NOT_FOUND");
    let found = caller.get("/api/v2/cards?q=GEAR-1").await.expect(200).json();
    assert_eq!(found["cards"], json!([]));
}

#[tokio::test]
async fn cards_of_the_service_before_get_keys_in_their_order() {
    let faster = Options { environment: vec![("maintenance_secs", "1".to_owned())], ..Options::default() };
    let project = Project::on(Deployment::with(faster).await).await;
    for name in ["a", "b", "c"] {
        project.card(name).await;
    }
    let client = project.deployment.database.connect().await;
    client
        .batch_execute(
            "begin; delete from card_counters; update cards set number = null; \
             update projects set key = null; delete from project_keys; commit",
        )
        .await
        .unwrap();
    let newer = project.post("cards", json!({ "name": "d" })).await.expect(201).json();
    assert_eq!(newer["card"]["number"], 4);
    eventually_async("the cards have keys", async || {
        let listed = project.get("cards?sort=oldest").await.expect(200).json();
        let keys: Vec<&Value> = listed["cards"].as_array().unwrap().iter().map(|card| &card["key"]).collect();
        keys == ["GEAR-1", "GEAR-2", "GEAR-3", "GEAR-4"]
    })
    .await;
    assert_eq!(
        project.post("cards", json!({ "name": "e" })).await.expect(201).json()["card"]["key"],
        "GEAR-5"
    );
}
