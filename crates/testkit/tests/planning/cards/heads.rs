//! Expected history heads: syntax and conflicts.

use insta::assert_snapshot;
use serde_json::json;

use crate::cards::support::{Card, Project};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

#[tokio::test]
async fn a_head_may_be_quoted_bare_or_weak_and_in_header_or_body_or_both() {
    let project = Project::open().await;
    let mut card = project.card("x").await;
    let mut effort = 0;
    for form in ["{}", "\"{}\"", "W/\"{}\"", " \"{}\" ", "*"] {
        effort += 1;
        let header = form.replace("{}", &card.head);
        let changed =
            project.patch(&card.path(), json!({ "effort": effort })).header("if-match", &header).await;
        card = Card::of(&changed.expect(200));
    }
    let both = json!({ "effort": 90, "expectedHistoryHeadId": card.head });
    let stale = card.clone();
    card = Card::of(&project.patch(&card.path(), both).header("if-match", &card.head).await.expect(200));
    let differ = json!({ "effort": 91, "expectedHistoryHeadId": card.head });
    let differ = project.patch(&card.path(), differ).header("if-match", &stale.head).await;
    assert_snapshot!(differ, @"400 HISTORY_HEAD_MISMATCH");
    for header in ["", "\"\"", "x", "\"a\", \"b\""] {
        let refused = project.patch(&card.path(), json!({ "effort": 91 })).header("if-match", header).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST header.If-Match format");
    }
    let unreadable = project.delete(&card.path()).header("if-match", "\"é\"").await;
    assert_snapshot!(unreadable, @"400 INVALID_REQUEST header.If-Match format");
    let two =
        project.delete(&card.path()).header("if-match", &card.head).header("if-match", &stale.head).await;
    assert_snapshot!(two, @"400 INVALID_REQUEST header.If-Match maxItems");
    let both = json!({ "expectedHistoryHeadId": card.head });
    let differ = project.delete(&card.path()).json(both).header("if-match", &stale.head).await;
    assert_snapshot!(differ, @"400 HISTORY_HEAD_MISMATCH");
    let deleted = project.delete(&card.path()).header("if-match", &format!("W/\"{}\"", card.head)).await;
    deleted.expect(200);
}

#[tokio::test]
async fn a_change_with_a_stale_head_conflicts_only_if_the_same_field_changed() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let renamed = Card::of(&project.patch(&card.path(), json!({ "name": "y" })).await.expect(200));
    let stale = |body| project.patch(&card.path(), body).header("if-match", &card.head);
    // Another field; the same field and value; the same field with another value.
    stale(json!({ "effort": 2 })).await.expect(200);
    stale(json!({ "name": "y" })).await.expect(200);
    let conflict = stale(json!({ "name": "z", "effort": 3 })).await;
    assert_snapshot!(conflict, @r#"
    409 CARD_HISTORY_CONFLICT {
      "assigneeIds": [],
      "conflicts": [{"cardId":"<id 1>","currentHistoryHeadId":"<id 2>","expectedHistoryHeadId":"<id 3>"}],
      "fields": {
        "deadline": null,
        "description": "",
        "effort": 2,
        "fields": {},
        "name": "y",
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
    let details = conflict.json()["error"]["details"]["conflicts"][0].clone();
    assert_eq!(details["cardId"], card.id.as_str());
    assert_eq!(details["expectedHistoryHeadId"], card.head.as_str());
    let now = project.get(&card.path()).await.expect(200);
    assert_eq!(details["currentHistoryHeadId"], now.text("/historyHeadId"));
    assert_eq!(now.json()["card"]["effort"], 2);
    // The name hasn't changed since the later head.
    let later = project.patch(&card.path(), json!({ "name": "z" })).header("if-match", &renamed.head).await;
    later.expect(200);
    // A head of no row of the card.
    let other = project.card("other").await;
    for head in [ABSENT_ID, &other.head] {
        let unknown = project.patch(&card.path(), json!({ "deadline": "2027-01-01T00:00:00Z" }));
        assert_eq!(unknown.header("if-match", head).await.code(), "CARD_HISTORY_CONFLICT");
    }
}

#[tokio::test]
async fn changes_of_different_assignees_and_tags_do_not_conflict() {
    let project = Project::open().await;
    let (bob, _) = project.member("bob", "viewer").await;
    let (one, other) = (project.tag("one").await, project.tag("other").await);
    let card = project.card("x").await;
    let stale = |path: String| project.put(&card.at(&path)).header("if-match", &card.head);
    stale(format!("assignees/{}", project.alice.id)).await.expect(200);
    stale(format!("assignees/{}", bob.id)).await.expect(200);
    stale(format!("tags/{one}")).await.expect(200);
    stale(format!("tags/{other}")).await.expect(200);
    let end = project.delete(&card.at(&format!("assignees/{}", bob.id))).header("if-match", &card.head);
    assert_eq!(end.await.code(), "CARD_HISTORY_CONFLICT");
    let end =
        project.delete(&card.at(&format!("tags/{one}"))).json(json!({ "expectedHistoryHeadId": card.head }));
    assert_eq!(end.await.code(), "CARD_HISTORY_CONFLICT");
    let state = project.get(&card.path()).await.json();
    assert_eq!(state["indexCard"]["user_ids"], json!([project.alice.id, bob.id]));
    assert_eq!(state["indexCard"]["tag_ids"], json!([one, other]));
}

#[tokio::test]
async fn a_client_with_the_current_head_gets_304() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let known = project.get(&card.path()).header("if-none-match", &format!("\"{}\"", card.head)).await;
    assert_eq!((known.status, known.body.len()), (304, 0));
    project.put(&card.at(&format!("assignees/{}", project.alice.id))).await.expect(200);
    project.get(&card.path()).header("if-none-match", &format!("\"{}\"", card.head)).await.expect(200);
}
