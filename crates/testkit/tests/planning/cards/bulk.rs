//! Many operations in one request: each with its own result, or atomic.

use std::collections::HashSet;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Request};
use testkit::seed::ABSENT_ID;

use crate::cards::support::{Card, Project};

impl Project {
    fn bulk(&self, operations: Value) -> Request {
        self.post("cards/bulk", json!({ "operations": operations }))
    }

    fn atomic(&self, operations: Value) -> Request {
        self.post("cards/bulk", json!({ "atomic": true, "operations": operations }))
    }

    async fn count(&self) -> i64 {
        self.deployment.database.count("select count(*) from cards").await
    }
}

/// Status of each result, and code of the failed ones.
fn outcomes(answer: &Answer) -> Vec<String> {
    let json = answer.json();
    let outcome = |result: &Value| match result["error"]["code"].as_str() {
        Some(code) => format!("{} {code}", result["status"]),
        None => result["status"].to_string(),
    };
    json["results"].as_array().unwrap().iter().map(outcome).collect()
}

#[tokio::test]
async fn operations_act_like_single_requests_in_the_order_of_the_request() {
    let project = Project::open().await;
    let (card, other, tag) = (project.card("x").await, project.card("y").await, project.tag("urgent").await);
    let answer = project
        .bulk(json!([
            { "op": "create", "name": " Cut\tteeth ", "effort": 3, "assigneeId": project.alice.id, "tagIds": [tag] },
            { "op": "create", "name": "Grind teeth" },
            { "op": "update", "cardId": card.id, "name": "z", "expectedHistoryHeadId": card.head },
            { "op": "assign", "cardId": card.id, "userId": project.alice.id },
            { "op": "tag", "cardId": card.id, "tagId": tag },
            { "op": "link", "cardId": card.id, "objectId": project.id },
            { "op": "unlink", "cardId": card.id, "objectId": project.id },
            { "op": "untag", "cardId": card.id, "tagId": tag },
            { "op": "unassign", "cardId": card.id, "userId": project.alice.id },
            { "op": "update", "cardId": card.id, "isOpen": false },
            { "op": "delete", "cardId": other.id, "expectedHistoryHeadId": other.head },
        ]))
        .await
        .expect(200);
    let json = answer.json();
    assert_eq!(json["applied"], 11);
    assert_eq!(
        outcomes(&answer),
        ["201", "201", "200", "200", "200", "200", "200", "200", "200", "200", "200"]
    );
    let created = &json["results"][0];
    let id = created["cardId"].as_str().unwrap();
    let read = project.get(&format!("cards/{id}")).await.expect(200).json();
    assert_eq!(read["card"]["name"], "Cut teeth");
    assert_eq!(read["indexCard"]["tag_ids"], json!([tag]));
    assert_eq!(read["indexCard"]["user_ids"], json!([project.alice.id]));
    for part in ["historyHeadId", "historyHeadSequence"] {
        assert_eq!(read[part], created[part], "{part}");
    }
    assert_eq!(json["results"][10]["cardId"], other.id);
    assert_eq!(project.get(&other.path()).await.status, 404);
    let read = project.get(&card.path()).await.json();
    assert_eq!(read["historyHeadId"], json["results"][9]["historyHeadId"]);
    assert_eq!((&read["card"]["name"], &read["card"]["is_open"]), (&json!("z"), &json!(false)));
    assert_eq!(
        project.history(&card.id).await[1..],
        [
            "updated name",
            "assigned user_id",
            "tagged tag_id",
            "linked object_id",
            "unlinked object_id",
            "untagged tag_id",
            "unassigned user_id",
            "closed is_open"
        ]
    );
}

#[tokio::test]
async fn a_failed_operation_does_not_affect_the_others() {
    let project = Project::own().await;
    let (card, gone, archived) =
        (project.card("x").await, project.card("y").await, project.tag("archived").await);
    project.patch(&format!("card-tags/{archived}"), json!({ "status": "archived" })).await.expect(200);
    project.patch(&card.path(), json!({ "effort": 1 })).await.expect(200);
    let answer = project
        .bulk(json!([
            { "op": "create", "name": "a" },
            { "op": "create", "name": "b", "tagIds": [archived] },
            { "op": "create", "name": "c", "assigneeId": ABSENT_ID },
            { "op": "create", "name": "d" },
            { "op": "update", "cardId": card.id, "effort": 2, "expectedHistoryHeadId": card.head },
            { "op": "update", "cardId": card.id, "name": "z", "expectedHistoryHeadId": card.head },
            { "op": "tag", "cardId": card.id, "tagId": archived },
            { "op": "delete", "cardId": gone.id },
            { "op": "update", "cardId": gone.id, "effort": 2 },
            { "op": "untag", "cardId": ABSENT_ID, "tagId": archived },
        ]))
        .await
        .expect(200);
    assert_snapshot!(outcomes(&answer).join("\n"), @"
    201
    400 INVALID_REQUEST
    400 ASSIGNEE_NOT_MEMBER
    201
    409 CARD_HISTORY_CONFLICT
    200
    400 INVALID_REQUEST
    200
    404 NOT_FOUND
    404 NOT_FOUND
    ");
    let json = answer.json();
    assert_eq!(json["applied"], 4);
    let place = |result: usize| json["results"][result]["error"]["details"]["issues"][0]["path"].clone();
    assert_eq!(place(1), "body.operations[1].tagIds[0]");
    assert_eq!(place(6), "body.operations[6].tagId");
    assert_eq!(json["results"][4]["error"]["details"]["conflicts"][0]["cardId"], card.id);
    assert_eq!(project.count().await, 3);
    assert_eq!(project.history(&card.id).await[2..], ["updated name"]);
}

#[tokio::test]
async fn an_atomic_request_with_a_failing_operation_applies_nothing_and_names_it() {
    let project = Project::own().await;
    let card = project.card("x").await;
    let operations = |name: &str| {
        json!([
            { "op": "create", "name": "a" },
            { "op": "update", "cardId": card.id, "name": name },
            { "op": "update", "cardId": ABSENT_ID, "name": name },
            { "op": "delete", "cardId": ABSENT_ID },
        ])
    };
    let refused = project.atomic(operations("z")).idempotency_key("k").await;
    assert_eq!((refused.status, refused.code().as_str()), (404, "NOT_FOUND"));
    assert_eq!(refused.json()["error"]["details"]["operation"], 2);
    assert_eq!(project.count().await, 1);
    assert_eq!(project.history(&card.id).await.len(), 1);

    // A failed request doesn't use up its key.
    let fixed =
        project.atomic(json!([{ "op": "create", "name": "a" }])).idempotency_key("k").await.expect(200);
    assert!(!fixed.is_replay());
    assert_eq!(project.count().await, 2);
}

#[tokio::test]
async fn a_repeat_with_the_same_key_applies_nothing() {
    let project = Project::own().await;
    let operations = json!([
        { "op": "create", "name": "a" }, { "op": "create", "name": "b" },
        { "op": "update", "cardId": ABSENT_ID, "name": "c" },
    ]);
    let first = project.bulk(operations.clone()).idempotency_key("k").await.expect(200);
    let second = project.bulk(operations).idempotency_key("k").await.expect(200);
    assert!(!first.is_replay() && second.is_replay());
    assert_eq!(first.json(), second.json());
    assert_eq!(project.count().await, 2);
}

#[tokio::test]
async fn syntax_errors_are_named_with_their_position_and_nothing_is_applied() {
    let project = Project::own().await;
    let refused = async |operation: Value| {
        project.bulk(json!([{ "op": "create", "name": "fine" }, operation])).await.expect(400).to_string()
    };
    assert_snapshot!(
        refused(json!({ "op": "create", "name": " " })).await,
        @"400 INVALID_REQUEST body.operations[1].name format"
    );
    assert_snapshot!(refused(json!({ "op": "create" })).await, @"400 INVALID_REQUEST body.operations[1].name required");
    assert_snapshot!(
        refused(json!({ "op": "create", "name": "a", "effort": -1 })).await,
        @"400 INVALID_REQUEST body.operations[1].effort minimum"
    );
    assert_snapshot!(
        refused(json!({ "op": "create", "name": "a", "cardId": ABSENT_ID })).await,
        @"400 INVALID_REQUEST body.operations[1].cardId unknown"
    );
    assert_snapshot!(refused(json!({ "op": "rename" })).await, @"400 INVALID_REQUEST body.operations[1].op enum");
    assert_snapshot!(refused(json!({ "name": "a" })).await, @"400 INVALID_REQUEST body.operations[1].op required");
    assert_snapshot!(
        refused(json!({ "op": "delete" })).await,
        @"400 INVALID_REQUEST body.operations[1].cardId required"
    );
    assert_snapshot!(
        refused(json!({ "op": "delete", "cardId": 1 })).await,
        @"400 INVALID_REQUEST body.operations[1].cardId type"
    );
    assert_snapshot!(
        refused(json!({ "op": "tag", "cardId": ABSENT_ID })).await,
        @"400 INVALID_REQUEST body.operations[1].tagId required"
    );
    assert_snapshot!(
        refused(json!({ "op": "update", "cardId": ABSENT_ID })).await,
        @"400 INVALID_REQUEST body.operations[1] minProperties"
    );
    assert_snapshot!(
        refused(json!({ "op": "update", "cardId": ABSENT_ID, "name": null })).await,
        @"400 INVALID_REQUEST body.operations[1].name required"
    );
    assert_snapshot!(refused(json!(["create"])).await, @"400 INVALID_REQUEST body.operations[1] type");
    assert_snapshot!(project.bulk(json!([])).await, @"400 INVALID_REQUEST body.operations minItems");
    let many = |count| Value::from(vec![json!({ "op": "create", "name": "a" }); count]);
    assert_snapshot!(project.bulk(many(501)).await, @"400 INVALID_REQUEST body.operations maxItems");
    assert_eq!(project.count().await, 0);
    project.bulk(many(500)).await.expect(200);
    assert_eq!(project.count().await, 500);
}

#[tokio::test]
async fn cards_created_together_are_listed_in_their_order() {
    let project = Project::open().await;
    let create = |number: usize| json!({ "op": "create", "name": format!("card {number}") });
    project.bulk((0..50).map(create).collect()).await.expect(200);
    let listed = project.get("cards?limit=100").await.expect(200).json();
    let names: Vec<&str> =
        listed["cards"].as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap()).collect();
    let newest_first: Vec<String> = (0..50).rev().map(|number| format!("card {number}")).collect();
    assert_eq!(names, newest_first);
}

#[tokio::test]
async fn only_deletions_need_the_scope_to_delete() {
    let project = Project::own().await;
    let card = project.card("x").await;
    let path = project.at("cards/bulk");
    let deletion = json!({ "operations": [{ "op": "delete", "cardId": card.id }] });
    let change = json!({ "operations": [{ "op": "update", "cardId": card.id, "effort": 1 }] });

    let (_, editor) = project.member("eve", "editor").await;
    assert_snapshot!(editor.post(&path).json(deletion.clone()).await, @"403 FORBIDDEN");
    editor.post(&path).json(change.clone()).await.expect(200);
    let writer = project.alice.key(&["projects:read", "cards:write"]).await;
    assert_eq!(writer.post(&path).json(deletion.clone()).await.code(), "INSUFFICIENT_SCOPE");
    writer.post(&path).json(change).await.expect(200);
    project.caller.post(&path).json(deletion).await.expect(200);
    assert_eq!(project.count().await, 0);
}

#[tokio::test]
async fn bulks_with_the_same_cards_in_different_orders_never_deadlock() {
    let project = Project::own().await;
    let created = project.bulk((0..20).map(|_| json!({ "op": "create", "name": "x" })).collect()).await;
    let created = created.expect(200).json();
    let cards: Vec<String> =
        (0..20).map(|n| created["results"][n]["cardId"].as_str().unwrap().to_owned()).collect();
    let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
    let before = project.deployment.database.count(deadlocks).await;
    let bulks = (0..8).map(|number| {
        let mut cards = cards.clone();
        cards.rotate_left(number);
        if number % 2 == 1 {
            cards.reverse();
        }
        let update = |card| json!({ "op": "update", "cardId": card, "effort": number + 1 });
        project.bulk(cards.into_iter().map(update).collect()).into_future()
    });
    for answer in join_all(bulks).await {
        assert_eq!(answer.expect(200).json()["applied"], 20);
    }
    assert_eq!(project.deployment.database.count(deadlocks).await, before);
    let efforts = "select count(distinct effort) from cards";
    assert_eq!(project.deployment.database.count(efforts).await, 1, "bulks were applied one after the other");
    for card in &cards {
        assert_eq!(project.history(card).await.len(), 9);
    }
}

#[tokio::test]
async fn a_bulk_that_races_deletions_applies_to_the_remaining_cards() {
    let project = Project::open().await;
    let cards: Vec<Card> = join_all((0..6).map(|_| project.card("x"))).await;
    let deletions = cards.iter().take(3).map(|card| project.delete(&card.path()).into_future());
    let update = |card: &Card| json!({ "op": "update", "cardId": card.id, "effort": 7 });
    let bulk = project.bulk(cards.iter().map(update).collect()).into_future();
    let (deletions, bulk) = tokio::join!(join_all(deletions), bulk);
    assert!(deletions.iter().all(|deletion| deletion.status == 200));
    let outcomes = outcomes(&bulk.expect(200));
    assert!(outcomes[..3].iter().all(|outcome| outcome == "200" || outcome == "404 NOT_FOUND"));
    assert!(outcomes[3..].iter().all(|outcome| outcome == "200"));
    let heads: HashSet<String> =
        join_all(cards[3..].iter().map(async |card| project.get(&card.path()).await.text("/historyHeadId")))
            .await
            .into_iter()
            .collect();
    assert_eq!(heads.len(), 3);
}

#[tokio::test]
async fn a_bulk_sets_custom_fields_and_each_bad_value_refuses_its_operation_alone() {
    let project = Project::open().await;
    let weight = json!({ "name": "Weight", "type": "number", "maximum": 10 });
    let weight = project.post("fields", weight).await.expect(201).text("/field/id");
    let risk = json!({ "name": "Risk", "type": "choice", "options": ["low", "high"] });
    project.post("fields", risk).await.expect(201);
    let (one, two) = (project.card("one").await, project.card("two").await);
    let operations = json!([
        { "op": "create", "name": "three", "fields": { "Weight": 3, "Risk": "low" } },
        { "op": "update", "cardId": one.id, "fields": { "weight": 1 } },
        { "op": "update", "cardId": one.id, "fields": { "Weight": 11 } },
        { "op": "update", "cardId": two.id, "fields": { "Weight": 2, "Risk": "grave" } },
        { "op": "update", "cardId": two.id, "fields": { "Nothing": 2 } },
        { "op": "update", "cardId": two.id, "fields": { "Weight": 5 } },
        { "op": "update", "cardId": two.id, "fields": { "Weight": null } },
        { "op": "create", "name": "four", "fields": { "Weight": "4" } },
    ]);
    let answer = project.bulk(operations.clone()).await.expect(200);
    let refused = "400 INVALID_REQUEST";
    assert_eq!(outcomes(&answer), ["201", "200", refused, refused, refused, "200", "200", refused]);
    let issues = answer.json()["results"][2]["error"].to_string();
    assert!(issues.contains("body.operations[2].fields.Weight"), "{issues}");
    let values = async || {
        let list = project.get("cards?sort=oldest").await.expect(200).json();
        let cards = list["cards"].as_array().unwrap().iter();
        cards.map(|card| card["fields"][&weight].to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(values().await, "1 null 3");
    assert_eq!(project.history(&two.id).await.len(), 3, "a value, and its end");
    let atomic = project.atomic(operations).await.expect(400);
    assert_eq!(atomic.json()["error"]["details"]["operation"], 2, "{atomic}");
    assert_eq!(values().await, "1 null 3");
}
