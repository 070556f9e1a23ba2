//! Assignees, tags and objects of a card.

use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;
use testkit::session::Session;

use crate::cards::support::Project;

#[tokio::test]
async fn a_card_is_assigned_once_and_unassigned_once() {
    let project = Project::own().await;
    let card = project.card("x").await;
    let path = card.at(&format!("assignees/{}", project.alice.id));
    let assigned = project.put(&path).await.expect(200);
    assert_eq!(assigned.json()["indexCard"]["user_ids"], json!([project.alice.id]));
    assert_eq!(project.put(&path).await.expect(200).json(), assigned.json());
    assert_snapshot!(
        project.delete(&path).await,
        @r#"200 {"cardId":"<id 1>","deleted":true,"historyHeadId":"<id 2>","historyHeadSequence":"3","id":"<id 3>"}"#
    );
    assert_snapshot!(project.delete(&path).await, @"404 NOT_FOUND");
    assert_eq!(
        project.history(&card.id).await,
        ["created is_open,name", "assigned user_id", "unassigned user_id"]
    );
    let stranger = project.deployment.operator().user("stranger").await;
    assert_snapshot!(project.put(&card.at(&format!("assignees/{}", stranger.id))).await, @"400 ASSIGNEE_NOT_MEMBER");
    assert_snapshot!(project.put(&card.at(&format!("assignees/{ABSENT_ID}"))).await, @"400 ASSIGNEE_NOT_MEMBER");
    assert_snapshot!(project.put(&card.at("assignees/me")).await, @"400 INVALID_REQUEST path.userId format");
}

#[tokio::test]
async fn a_tag_is_added_to_a_card_and_removed() {
    let project = Project::open().await;
    let (card, tag) = (project.card("x").await, project.tag("urgent").await);
    let path = card.at(&format!("tags/{tag}"));
    let tagged = project.put(&path).await.expect(200);
    assert_eq!(project.put(&path).await.expect(200).json(), tagged.json());
    assert_eq!(project.get("card-tags").await.json()["tags"][0]["card_count"], 1);
    project.delete(&path).await.expect(200);
    assert_snapshot!(project.delete(&path).await, @"404 NOT_FOUND");
    assert_eq!(project.get("card-tags").await.json()["tags"][0]["card_count"], 0);
    assert_eq!(project.history(&card.id).await, ["created is_open,name", "tagged tag_id", "untagged tag_id"]);
    project.patch(&format!("card-tags/{tag}"), json!({ "status": "archived" })).await.expect(200);
    assert_snapshot!(project.put(&path).await, @"400 INVALID_REQUEST path.tagId state");
    assert_snapshot!(project.put(&card.at(&format!("tags/{ABSENT_ID}"))).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_card_is_linked_to_objects_of_the_tree() {
    let project = Project::own().await;
    let session = Session::open(&project.caller, &project.id).await;
    let (card, model) = (project.card("x").await, session.model().await);
    let path = card.at(&format!("objects/{model}"));
    let linked = project.put(&path).await.expect(200);
    assert_eq!(project.put(&path).await.expect(200).json(), linked.json());
    // Including the project object itself.
    project.put(&card.at(&format!("objects/{}", project.id))).await.expect(200);
    let mut ids = [model.as_str(), &project.id];
    ids.sort_unstable();
    assert_eq!(project.get(&card.path()).await.json()["objectIds"], json!(ids));
    assert_snapshot!(project.put(&card.at(&format!("objects/{ABSENT_ID}"))).await, @"404 NOT_FOUND");
    assert_snapshot!(
        project.delete(&path).await,
        @r#"200 {"cardId":"<id 1>","deleted":true,"historyHeadId":"<id 2>","historyHeadSequence":"4","id":"<id 3>"}"#
    );
    assert_snapshot!(project.delete(&path).await, @"404 NOT_FOUND");
    assert_eq!(
        project.history(&card.id).await,
        ["created is_open,name", "linked object_id", "linked object_id", "unlinked object_id"]
    );
}
