//! Deleting cards, and projects with their cards.

use insta::assert_snapshot;
use serde_json::json;

use crate::cards::support::{Card, Project};
use testkit::caller::Base;

#[tokio::test]
async fn a_deleted_card_leaves_only_its_history() {
    let desk = Project::own().await;
    let tag = desk.tag("urgent").await;
    let body = json!({ "name": "x", "assigneeId": desk.alice.id, "tagIds": [tag] });
    let card = Card::of(&desk.post("cards", body).await.expect(201));
    desk.post(&card.at("comments"), json!({ "body": "Why?" })).await.expect(201);
    desk.put(&card.at(&format!("objects/{}", desk.project))).await.expect(200);
    let deleted = desk.delete(&card.path()).await.expect(200);
    assert_snapshot!(
        deleted,
        @r#"200 {"cardId":"<id 1>","deleted":true,"historyHeadId":"<id 2>","historyHeadSequence":"9"}"#
    );
    for table in ["cards", "index_cards", "card_comments", "card_assignees", "card_tag_links", "card_objects"]
    {
        assert_eq!(
            desk.deployment.database.count(&format!("select count(*) from {table}")).await,
            0,
            "{table}"
        );
    }
    assert_snapshot!(desk.history(&card.id).await.join("\n"), @"
    created is_open,name
    assigned user_id
    tagged tag_id
    commented comment
    linked object_id
    unassigned user_id
    untagged tag_id
    unlinked object_id
    deleted effort,is_open,name
    ");
    let history = desk.get(&card.at("history")).await.json();
    let rows = history["history"].as_array().unwrap();
    assert_eq!(rows.last().unwrap()["id"], deleted.text("/historyHeadId"));
    assert_eq!(desk.get("card-tags").await.json()["tags"][0]["card_count"], 0);
    assert_snapshot!(desk.get(&card.path()).await, @"404 NOT_FOUND");
    assert_snapshot!(desk.delete(&card.path()).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_stale_head_refuses_the_deletion() {
    let desk = Project::open().await;
    let card = desk.card("x").await;
    let changed = Card::of(&desk.patch(&card.path(), json!({ "effort": 1 })).await.expect(200));
    let before = desk.get(&card.path()).await.expect(200);
    assert_snapshot!(desk.delete(&card.path()).header("if-match", &card.head).await, @r#"
    409 CARD_HISTORY_CONFLICT {
      "assigneeIds": [],
      "conflicts": [{"cardId":"<id 1>","currentHistoryHeadId":"<id 2>","expectedHistoryHeadId":"<id 3>"}],
      "fields": {"deadline":null,"description":"","effort":1,"name":"x","resolution":""},
      "isOpen": true,
      "tagIds": []
    }
    "#);
    let stale = desk.delete(&card.path()).json(json!({ "expectedHistoryHeadId": card.head })).await;
    assert_eq!(stale.code(), "CARD_HISTORY_CONFLICT");
    assert_eq!(desk.get(&card.path()).await.body, before.body);
    desk.delete(&card.path()).header("if-match", &changed.head).await.expect(200);
}

#[tokio::test]
async fn history_is_deleted_only_with_its_project() {
    let desk = Project::own().await;
    let card = desk.card("x").await;
    desk.card("y").await;
    desk.delete(&card.path()).await.expect(200);
    let client = desk.deployment.database.connect().await;
    for statement in
        ["update card_history set kind = 'updated'", "delete from card_history", "truncate card_history"]
    {
        let refused = client.batch_execute(statement).await.unwrap_err();
        assert!(refused.as_db_error().unwrap().message().contains("append-only"), "{statement}");
    }
    desk.caller.delete(&format!("/api/v2/projects/{}", desk.project)).await.expect(200);
    assert_eq!(desk.deployment.database.count("select count(*) from card_history").await, 0);
    assert_eq!(desk.deployment.database.count("select count(*) from cards").await, 0);
}
