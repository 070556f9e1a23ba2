//! Comments on cards.

use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Base;
use testkit::seed::MANAGE_WITH_CARDS;

use crate::cards::support::Project;

#[tokio::test]
async fn comments_are_listed_oldest_first_and_each_is_in_the_history() {
    let project = Project::own().await;
    let card = project.card("x").await;
    let written = project.post(&card.at("comments"), json!({ "body": "  First\n\n*now* " })).await;
    assert_snapshot!(written, @r#"
    201 {
      "comment": {
        "authorDisplayName": "alice",
        "authorId": "<id 1>",
        "body": "  First\n\n*now* ",
        "cardId": "<id 2>",
        "createdAt": "<time>",
        "id": "<id 3>",
        "updatedAt": "<time>"
      },
      "historyHeadId": "<id 4>",
      "historyHeadSequence": "2"
    }
    "#);
    project.post(&card.at("comments"), json!({ "body": "Second" })).await.expect(201);
    let page = project.get(&card.at("comments?limit=1")).await.expect(200).json();
    assert_eq!(page["comments"][0]["body"], "  First\n\n*now* ");
    let cursor = page["meta"]["nextCursor"].as_str().unwrap();
    let rest = project.get(&card.at(&format!("comments?limit=1&cursor={cursor}"))).await.expect(200).json();
    assert_eq!(rest["comments"][0]["body"], "Second");
    assert_eq!(rest["meta"]["hasMore"], false);
    let other = project.card("y").await;
    assert_snapshot!(project.get(&other.at(&format!("comments?cursor={cursor}"))).await, @"400 INVALID_PAGINATION");
    assert_eq!(
        project.history(&card.id).await,
        ["created is_open,name", "commented comment", "commented comment"]
    );
    for body in ["", " \n"] {
        assert_eq!(
            project.post(&card.at("comments"), json!({ "body": body })).await.issues(),
            ["body.body format"]
        );
    }
    project.post(&card.at("comments"), json!({ "body": "\u{1f600}".repeat(10_000) })).await.expect(201);
    // A comment changes no field, but its head is valid for later changes.
    let expecting = |head: &str| json!({ "body": "Third", "expectedHistoryHeadId": head });
    project.post(&card.at("comments"), expecting(&card.head)).await.expect(201);
    let unknown = project.post(&card.at("comments"), expecting(&other.head)).await;
    assert_eq!(unknown.code(), "CARD_HISTORY_CONFLICT");
    let differ =
        project.post(&card.at("comments"), expecting(&card.head)).header("if-match", &other.head).await;
    assert_snapshot!(differ, @"400 HISTORY_HEAD_MISMATCH");
    let long = json!({ "body": "x".repeat(10_001) });
    assert_snapshot!(project.post(&card.at("comments"), long).await, @"400 INVALID_REQUEST body.body maxLength");
}

#[tokio::test]
async fn a_comment_is_changed_by_its_author_and_deleted_by_its_author_or_a_manager() {
    let project = Project::own().await;
    let (bob, by_bob) = project.member("bob", "editor").await;
    let card = project.card("x").await;
    let comment = async |caller: &testkit::caller::Caller| {
        let path = project.at(&card.at("comments"));
        let written = caller.post(&path).json(json!({ "body": "Hm." })).await.expect(201);
        (
            project.at(&card.at(&format!("comments/{}", written.text("/comment/id")))),
            written.text("/historyHeadId"),
        )
    };
    let (of_alice, _) = comment(&project.caller).await;
    let (of_bob, head) = comment(&by_bob).await;
    let change = json!({ "body": "Yes." });
    assert_snapshot!(by_bob.patch(&of_alice).json(change.clone()).await, @"403 FORBIDDEN");
    assert_snapshot!(project.caller.patch(&of_bob).json(change.clone()).await, @"403 FORBIDDEN");
    let changed = by_bob.patch(&of_bob).json(change.clone()).header("if-match", &head).await.expect(200);
    assert_eq!(changed.text("/comment/body"), "Yes.");
    // The same text is not a change; another text with the old head is a conflict.
    let same = by_bob.patch(&of_bob).json(change).await.expect(200);
    assert_eq!(same.text("/historyHeadId"), changed.text("/historyHeadId"));
    let stale = by_bob.patch(&of_bob).json(json!({ "body": "No." })).header("if-match", &head).await;
    assert_eq!(stale.code(), "CARD_HISTORY_CONFLICT");

    assert_snapshot!(by_bob.delete(&of_alice).await, @"403 FORBIDDEN");
    // A manager's key needs the scope.
    let limited = project.alice.key(&["cards:write"]).await;
    assert_snapshot!(limited.delete(&of_bob).await, @"403 FORBIDDEN");
    assert_snapshot!(
        project.caller.delete(&of_bob).await,
        @r#"200 {"cardId":"<id 1>","deleted":true,"historyHeadId":"<id 2>","historyHeadSequence":"5","id":"<id 3>"}"#
    );
    assert_snapshot!(project.caller.delete(&of_bob).await, @"404 NOT_FOUND");
    project.caller.delete(&of_alice).await.expect(200);
    assert_eq!(project.get(&card.at("comments")).await.json()["comments"], json!([]));
    // A former member has no access.
    project.deployment.operator().remove_member(&bob, "--project", &project.id).await;
    assert_eq!(bob.key(MANAGE_WITH_CARDS).await.get(&project.at(&card.at("comments"))).await.status, 404);
}
