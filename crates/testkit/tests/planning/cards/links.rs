//! Assignees, tags and objects of a card.

use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;
use testkit::session::Session;

use crate::cards::support::Project;

#[tokio::test]
async fn a_card_is_assigned_once_and_unassigned_once() {
    let desk = Project::own().await;
    let card = desk.card("x").await;
    let path = card.at(&format!("assignees/{}", desk.alice.id));
    let assigned = desk.put(&path).await.expect(200);
    assert_eq!(assigned.json()["indexCard"]["user_ids"], json!([desk.alice.id]));
    assert_eq!(desk.put(&path).await.expect(200).json(), assigned.json());
    assert_snapshot!(
        desk.delete(&path).await,
        @r#"200 {"cardId":"<id 1>","deleted":true,"historyHeadId":"<id 2>","historyHeadSequence":"3","id":"<id 3>"}"#
    );
    assert_snapshot!(desk.delete(&path).await, @"404 NOT_FOUND");
    assert_eq!(
        desk.history(&card.id).await,
        ["created is_open,name", "assigned user_id", "unassigned user_id"]
    );
    let stranger = desk.deployment.operator().user("stranger").await;
    assert_snapshot!(desk.put(&card.at(&format!("assignees/{}", stranger.id))).await, @"400 ASSIGNEE_NOT_MEMBER");
    assert_snapshot!(desk.put(&card.at(&format!("assignees/{ABSENT_ID}"))).await, @"400 ASSIGNEE_NOT_MEMBER");
    assert_snapshot!(desk.put(&card.at("assignees/me")).await, @"400 INVALID_REQUEST path.userId format");
}

#[tokio::test]
async fn a_tag_is_added_to_a_card_and_removed() {
    let desk = Project::open().await;
    let (card, tag) = (desk.card("x").await, desk.tag("urgent").await);
    let path = card.at(&format!("tags/{tag}"));
    let tagged = desk.put(&path).await.expect(200);
    assert_eq!(desk.put(&path).await.expect(200).json(), tagged.json());
    assert_eq!(desk.get("card-tags").await.json()["tags"][0]["card_count"], 1);
    desk.delete(&path).await.expect(200);
    assert_snapshot!(desk.delete(&path).await, @"404 NOT_FOUND");
    assert_eq!(desk.get("card-tags").await.json()["tags"][0]["card_count"], 0);
    assert_eq!(desk.history(&card.id).await, ["created is_open,name", "tagged tag_id", "untagged tag_id"]);
    desk.patch(&format!("card-tags/{tag}"), json!({ "status": "archived" })).await.expect(200);
    assert_snapshot!(desk.put(&path).await, @"400 INVALID_REQUEST path.tagId state");
    assert_snapshot!(desk.put(&card.at(&format!("tags/{ABSENT_ID}"))).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_card_is_linked_to_objects_of_the_tree() {
    let desk = Project::own().await;
    let session = Session::open(&desk.caller, &desk.project).await;
    let (card, model) = (desk.card("x").await, session.model().await);
    let path = card.at(&format!("objects/{model}"));
    let linked = desk.put(&path).await.expect(200);
    assert_eq!(desk.put(&path).await.expect(200).json(), linked.json());
    // Including the project object itself.
    desk.put(&card.at(&format!("objects/{}", desk.project))).await.expect(200);
    let mut ids = [model.as_str(), &desk.project];
    ids.sort_unstable();
    assert_eq!(desk.get(&card.path()).await.json()["objectIds"], json!(ids));
    assert_snapshot!(desk.put(&card.at(&format!("objects/{ABSENT_ID}"))).await, @"404 NOT_FOUND");
    assert_snapshot!(
        desk.delete(&path).await,
        @r#"200 {"cardId":"<id 1>","deleted":true,"historyHeadId":"<id 2>","historyHeadSequence":"4","id":"<id 3>"}"#
    );
    assert_snapshot!(desk.delete(&path).await, @"404 NOT_FOUND");
    assert_eq!(
        desk.history(&card.id).await,
        ["created is_open,name", "linked object_id", "linked object_id", "unlinked object_id"]
    );
}
