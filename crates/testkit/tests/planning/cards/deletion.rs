//! Deleting cards, and projects with their cards.

use insta::assert_snapshot;
use serde_json::json;

use crate::cards::support::{Card, Project};
use testkit::caller::Base;

#[tokio::test]
async fn a_deleted_card_leaves_only_its_history() {
    let project = Project::own().await;
    let tag = project.tag("urgent").await;
    let body = json!({ "name": "x", "assigneeId": project.alice.id, "tagIds": [tag] });
    let card = Card::of(&project.post("cards", body).await.expect(201));
    project.post(&card.at("comments"), json!({ "body": "Why?" })).await.expect(201);
    project.put(&card.at(&format!("objects/{}", project.id))).await.expect(200);
    let deleted = project.delete(&card.path()).await.expect(200);
    assert_snapshot!(
        deleted,
        @r#"200 {"cardId":"<id 1>","deleted":true,"historyHeadId":"<id 2>","historyHeadSequence":"9"}"#
    );
    for table in ["cards", "index_cards", "card_comments", "card_assignees", "card_tag_links", "card_objects"]
    {
        assert_eq!(
            project.deployment.database.count(&format!("select count(*) from {table}")).await,
            0,
            "{table}"
        );
    }
    assert_snapshot!(project.history(&card.id).await.join("\n"), @"
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
    let history = project.get(&card.at("history")).await.json();
    let rows = history["history"].as_array().unwrap();
    assert_eq!(rows.last().unwrap()["id"], deleted.text("/historyHeadId"));
    assert_eq!(project.get("card-tags").await.json()["tags"][0]["card_count"], 0);
    assert_snapshot!(project.get(&card.path()).await, @"404 NOT_FOUND");
    assert_snapshot!(project.delete(&card.path()).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_stale_head_refuses_the_deletion() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let changed = Card::of(&project.patch(&card.path(), json!({ "effort": 1 })).await.expect(200));
    let before = project.get(&card.path()).await.expect(200);
    assert_snapshot!(project.delete(&card.path()).header("if-match", &card.head).await, @r#"
    409 CARD_HISTORY_CONFLICT {
      "assigneeIds": [],
      "conflicts": [{"cardId":"<id 1>","currentHistoryHeadId":"<id 2>","expectedHistoryHeadId":"<id 3>"}],
      "fields": {
        "deadline": null,
        "description": "",
        "effort": 1,
        "fields": {},
        "name": "x",
        "parent_id": null,
        "priority": "none",
        "resolution": "",
        "start_date": null,
        "type": "task"
      },
      "isOpen": true,
      "tagIds": []
    }
    "#);
    let stale = project.delete(&card.path()).json(json!({ "expectedHistoryHeadId": card.head })).await;
    assert_eq!(stale.code(), "CARD_HISTORY_CONFLICT");
    assert_eq!(project.get(&card.path()).await.body, before.body);
    project.delete(&card.path()).header("if-match", &changed.head).await.expect(200);
}

#[tokio::test]
async fn history_is_deleted_only_with_its_project() {
    let project = Project::own().await;
    let card = project.card("x").await;
    project.card("y").await;
    project.delete(&card.path()).await.expect(200);
    let client = project.deployment.database.connect().await;
    for statement in
        ["update card_history set kind = 'updated'", "delete from card_history", "truncate card_history"]
    {
        let refused = client.batch_execute(statement).await.unwrap_err();
        assert!(refused.as_db_error().unwrap().message().contains("append-only"), "{statement}");
    }
    project.caller.delete(&format!("/api/v2/projects/{}", project.id)).await.expect(200);
    assert_eq!(project.deployment.database.count("select count(*) from card_history").await, 0);
    assert_eq!(project.deployment.database.count("select count(*) from cards").await, 0);
}
