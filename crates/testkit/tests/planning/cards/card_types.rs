//! Types of cards that a project defines, and what new cards get of them.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::events::EventStream;
use testkit::seed::ABSENT_ID;

use crate::cards::support::{Card, Project};

impl Project {
    /// Defines a type of cards; returns its path below the project.
    async fn define(&self, body: Value) -> String {
        let id = self.post("card-types", body).await.expect(201).text("/cardType/id");
        format!("card-types/{id}")
    }

    /// Defines the type `bug` with a description and two lines; returns its path.
    async fn define_bug(&self) -> String {
        let lines = ["Write a test", "Tell the customer"];
        self.define(json!({ "name": "Bug", "description": "Steps to see it:", "checklist": lines })).await
    }

    /// The description of a card and the lines of its checklist.
    async fn content(&self, card: &Card) -> String {
        let description = self.get(&card.path()).await.expect(200).text("/card/description");
        let lines = self.get(&card.at("checklist")).await.expect(200).json();
        let lines = lines["items"].as_array().unwrap().iter().map(|line| line["text"].as_str().unwrap());
        [description.as_str()].into_iter().chain(lines).collect::<Vec<_>>().join(" | ")
    }

    async fn typed(&self, body: Value) -> Card {
        Card::of(&self.post("cards", body).await.expect(201))
    }
}

#[tokio::test]
async fn a_new_card_gets_the_parts_of_its_types_preset_that_it_lacks() {
    let project = Project::open().await;
    project.define_bug().await;
    let made = project.post("cards", json!({ "name": "x", "type": "BUG" })).await.expect(201);
    assert_eq!(made.json()["indexCard"]["checklist"], json!({ "total": 2, "done": 0 }));
    assert_eq!(made.json()["indexCard"]["search_text"], "x\nsteps to see it:");
    let card = Card::of(&made);
    assert_eq!(project.content(&card).await, "Steps to see it: | Write a test | Tell the customer");
    let expected =
        ["created description,is_open,name,type", "updated checklist_item", "updated checklist_item"];
    assert_eq!(project.history(&card.id).await, expected);
    let found = project.get("cards?q=steps").await.expect(200).json();
    assert_eq!(found["cards"][0]["id"], json!(card.id));
    let own =
        json!({ "name": "x", "type": "bug", "description": "Mine.", "checklist": ["One", "Two", "Three"] });
    let own = project.typed(own).await;
    assert_eq!(project.content(&own).await, "Mine. | One | Two | Three");
    // An empty part is a part, too.
    let bare = project.typed(json!({ "name": "x", "type": "bug", "description": "", "checklist": [] })).await;
    assert_eq!(project.content(&bare).await, "");
    let half = project.typed(json!({ "name": "x", "type": "bug", "description": "Mine." })).await;
    assert_eq!(project.content(&half).await, "Mine. | Write a test | Tell the customer");
    let other = project.typed(json!({ "name": "x", "type": "change" })).await;
    assert_eq!(project.content(&other).await, "");
    // A card without a type is a task.
    project.define(json!({ "name": "task", "checklist": ["Do it"] })).await;
    assert_eq!(project.content(&project.card("x").await).await, " | Do it");
}

#[tokio::test]
async fn a_card_with_a_preset_is_made_once_for_a_key_and_announced_with_its_lines() {
    let project = Project::open().await;
    project.define_bug().await;
    let mut events = EventStream::open(project.get("events")).await;
    let create = || {
        let body = json!({ "name": "x", "type": "bug" });
        project.post("cards", body).header("idempotency-key", "one").into_future()
    };
    let answers = join_all((0..4).map(|_| create())).await;
    let made = answers.iter().filter(|answer| answer.status == 201);
    let made: Vec<Value> = made.map(|answer| answer.json()["card"]["id"].clone()).collect();
    assert!(!made.is_empty() && made.iter().all(|id| *id == made[0]), "{answers:?}");
    for kind in ["card.created", "card.updated", "card.updated"] {
        assert_eq!(events.next().await.unwrap().kind, kind);
    }
    project.card("y").await;
    assert_eq!(events.next().await.unwrap().kind, "card.created");
    let listed = project.get("cards").await.expect(200).json();
    assert_eq!(listed["cards"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn bulks_fill_in_presets_and_a_refused_card_leaves_no_lines() {
    let project = Project::own().await;
    project.define_bug().await;
    let card = |name: &str, kind: &str| json!({ "op": "create", "name": name, "type": kind });
    let operations = json!([card("a", "bug"), card("b", "task"), card("c", "bug")]);
    let done = project.post("cards/bulk", json!({ "operations": operations })).await.expect(200).json();
    assert_eq!(done["applied"], 3);
    let lines = "select count(*) from card_checklist_items";
    assert_eq!(project.deployment.database.count(lines).await, 4);
    let refused = json!({ "name": "x", "type": "bug", "tagIds": [ABSENT_ID] });
    project.post("cards", refused).await.expect(400);
    assert_eq!(project.deployment.database.count(lines).await, 4);
}

#[tokio::test]
async fn a_change_or_the_end_of_a_type_changes_no_card() {
    let project = Project::open().await;
    let bug = project.define_bug().await;
    let before = project.typed(json!({ "name": "x", "type": "bug" })).await;
    let head = project.get(&before.path()).await.expect(200).header("etag").to_owned();
    let read = project.get(&bug).await.expect(200);
    let tag = read.header("etag").to_owned();
    let mut events = EventStream::open(project.get("events")).await;
    let change = json!({ "description": null, "checklist": ["Look"] });
    let changed = project.patch(&bug, change.clone()).header("if-match", &tag).await.expect(200).json();
    assert_eq!(changed["cardType"]["description"], "");
    assert_eq!(changed["cardType"]["name"], "bug");
    project.patch(&bug, json!({ "description": "y" })).header("if-match", &tag).await.expect(412);
    project.patch(&bug, change).await.expect(200);
    assert_eq!(project.content(&before).await, "Steps to see it: | Write a test | Tell the customer");
    let after = project.typed(json!({ "name": "y", "type": "bug" })).await;
    assert_eq!(project.content(&after).await, " | Look");
    project.delete(&bug).await.expect(200);
    assert_snapshot!(project.get(&bug).await, @"404 NOT_FOUND");
    assert_eq!(project.get(&before.path()).await.expect(200).header("etag"), head);
    let last = project.typed(json!({ "name": "z", "type": "bug" })).await;
    assert_eq!(project.content(&last).await, "");
    // The change that changed nothing is not told.
    for kind in ["card_type.updated", "card.created", "card.updated", "card_type.deleted", "card.created"] {
        assert_eq!(events.next().await.unwrap().kind, kind);
    }
}

#[tokio::test]
async fn bad_types_are_refused() {
    let project = Project::own().await;
    let bug = project.define_bug().await;
    let taken = project.post("card-types", json!({ "name": " BUG " })).await;
    assert_eq!(taken.to_string().split(' ').take(2).collect::<Vec<_>>(), ["409", "CARD_TYPE_NAME_TAKEN"]);
    for name in ["", " ", "a,b", &"x".repeat(51)] {
        let refused = project.post("card-types", json!({ "name": name })).await.expect(400).to_string();
        assert!(refused.contains("body.name"), "{name}: {refused}");
    }
    let many: Vec<String> = (0..51).map(|line| line.to_string()).collect();
    for (method, path) in [("post", "card-types"), ("patch", bug.as_str()), ("post", "cards")] {
        let mut body = json!({ "checklist": many });
        if method == "post" {
            body["name"] = json!("review");
        }
        let send = if method == "post" { project.post(path, body) } else { project.patch(path, body) };
        assert_eq!(send.await.to_string(), "400 INVALID_REQUEST body.checklist maxItems", "{method} {path}");
    }
    let blank = project.post("card-types", json!({ "name": "review", "checklist": ["a", " "] })).await;
    assert!(blank.expect(400).to_string().contains("body.checklist[1]"));
    assert_snapshot!(project.patch(&bug, json!({})).await, @"400 INVALID_REQUEST body minProperties");
    project.patch(&bug, json!({ "name": "defect" })).await.expect(400);
    // Of requests at once for the last place one gets it.
    for number in 2..50 {
        project.define(json!({ "name": format!("type {number}") })).await;
    }
    let last = (0..4)
        .map(|number| project.post("card-types", json!({ "name": format!("last {number}") })).into_future());
    let mut statuses: Vec<u16> = join_all(last).await.iter().map(|answer| answer.status).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 403, 403, 403]);
    let full = project.post("card-types", json!({ "name": "more" })).await;
    assert_snapshot!(full, @r#"403 LIMIT_REACHED {"current":50,"limit":50,"resource":"types of cards"}"#);
    let listed = project.get("card-types").await.expect(200).json();
    let names: Vec<&str> =
        listed["cardTypes"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert!(names.len() == 50 && names.is_sorted() && names[0] == "bug", "{names:?}");
}

#[tokio::test]
async fn types_belong_to_their_project() {
    let project = Project::open().await;
    let bug = project.define_bug().await;
    let (_, viewer) = project.member("viewer", "viewer").await;
    viewer.get(&project.at(&bug)).await.expect(200);
    viewer.patch(&project.at(&bug)).json(json!({ "checklist": [] })).await.expect(403);
    let (_, editor) = project.member("editor", "editor").await;
    editor.patch(&project.at(&bug)).json(json!({ "checklist": [] })).await.expect(200);
    let other = testkit::session::create_project(&project.caller, "Axle").await;
    let elsewhere = format!("/api/v2/projects/{other}/{bug}");
    assert_snapshot!(project.caller.get(&elsewhere).await, @"404 NOT_FOUND");
    let made = project.caller.post(&format!("/api/v2/projects/{other}/cards"));
    let made = made.json(json!({ "name": "x", "type": "bug" })).await.expect(201);
    assert_eq!(made.text("/card/description"), "");
}
