//! The catalog of a project's card tags.

use insta::assert_snapshot;
use serde_json::json;

use crate::cards::support::{Card, Project};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

#[tokio::test]
async fn a_tag_is_created_changed_archived_and_listed_with_its_count() {
    let project = Project::open().await;
    let created = project.post("card-tags", json!({ "name": " b  tag ", "color": "#00ff0a" })).await;
    assert_snapshot!(created, @r##"
    201 {
      "tag": {
        "card_count": 0,
        "color": "#00FF0A",
        "description": "",
        "id": "<id 1>",
        "name": "b tag",
        "project_id": "<id 2>",
        "status": "active"
      }
    }
    "##);
    let tag = created.text("/tag/id");
    project.post("card-tags", json!({ "name": "A tag", "description": "d" })).await.expect(201);
    project.post("cards", json!({ "name": "x", "tagIds": [tag] })).await.expect(201);
    assert_snapshot!(project.get("card-tags").await, @r##"
    200 {
      "tags": [
        {
          "card_count": 0,
          "color": "#808080",
          "description": "d",
          "id": "<id 1>",
          "name": "A tag",
          "project_id": "<id 2>",
          "status": "active"
        },
        {
          "card_count": 1,
          "color": "#00FF0A",
          "description": "",
          "id": "<id 3>",
          "name": "b tag",
          "project_id": "<id 2>",
          "status": "active"
        }
      ]
    }
    "##);
    let change = json!({ "name": "B TAG", "color": null, "description": "new", "status": "archived" });
    assert_snapshot!(project.patch(&format!("card-tags/{tag}"), change).await, @r##"
    200 {
      "tag": {
        "card_count": 1,
        "color": "#808080",
        "description": "new",
        "id": "<id 1>",
        "name": "B TAG",
        "project_id": "<id 2>",
        "status": "archived"
      }
    }
    "##);
    let read = project.get(&format!("card-tags/{tag}")).await.expect(200);
    assert_snapshot!(read, @r##"
    200 {
      "tag": {
        "card_count": 1,
        "color": "#808080",
        "description": "new",
        "id": "<id 1>",
        "name": "B TAG",
        "project_id": "<id 2>",
        "status": "archived"
      }
    }
    "##);
    let unchanged = project.get(&format!("card-tags/{tag}")).header("if-none-match", read.header("etag"));
    assert_eq!(unchanged.await.status, 304);
    assert_snapshot!(project.get(&format!("card-tags/{ABSENT_ID}")).await, @"404 NOT_FOUND");
    assert_snapshot!(
        project.patch(&format!("card-tags/{tag}"), json!({})).await,
        @"400 INVALID_REQUEST body minProperties"
    );
    for (field, value) in [("color", "red"), ("color", "#12345"), ("status", "gone"), ("name", " ")] {
        let mut body = json!({ "name": "c" });
        body[field] = json!(value);
        assert_eq!(project.post("card-tags", body).await.status, 400, "{field} {value}");
    }
}

#[tokio::test]
async fn names_are_unique_in_a_project_regardless_of_case_and_unicode_form() {
    let project = Project::open().await;
    let first = project.tag("Pru\u{308}fen").await;
    let second = project.tag("other").await;
    for name in ["Pr\u{fc}fen", "PR\u{dc}FEN", " pr\u{fc}fen "] {
        assert_eq!(
            project.post("card-tags", json!({ "name": name })).await.to_string(),
            "409 TAG_NAME_TAKEN"
        );
    }
    assert_snapshot!(
        project.patch(&format!("card-tags/{second}"), json!({ "name": "PR\u{dc}FEN" })).await,
        @"409 TAG_NAME_TAKEN"
    );
    project.patch(&format!("card-tags/{first}"), json!({ "name": "PR\u{dc}FEN" })).await.expect(200);
}

#[tokio::test]
async fn a_deleted_tag_is_removed_from_every_card() {
    let project = Project::open().await;
    let (tag, other) = (project.tag("urgent").await, project.tag("other").await);
    let mut cards = Vec::new();
    for number in 0..3 {
        let body = json!({ "name": format!("{number}"), "tagIds": [other, tag] });
        cards.push(Card::of(&project.post("cards", body).await.expect(201)));
    }
    assert_snapshot!(
        project.delete(&format!("card-tags/{tag}")).await,
        @r#"200 {"deleted":true,"tagId":"<id 1>","untaggedCards":3}"#
    );
    for card in &cards {
        let now = project.get(&card.path()).await.expect(200);
        assert_ne!(now.text("/historyHeadId"), card.head);
        assert_eq!(now.json()["indexCard"]["tag_ids"], json!([other]));
        assert_eq!(project.history(&card.id).await.last().unwrap(), "untagged tag_id");
    }
    assert_snapshot!(project.delete(&format!("card-tags/{tag}")).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_card_has_at_most_a_hundred_tags() {
    let project = Project::open().await;
    let mut tags = Vec::new();
    for number in 0..=100 {
        tags.push(project.tag(&format!("{number}")).await);
    }
    let (last, most) = tags.split_last().unwrap();
    assert_snapshot!(
        project.post("cards", json!({ "name": "x", "tagIds": tags })).await,
        @"400 INVALID_REQUEST body.tagIds maxItems"
    );
    let card = Card::of(&project.post("cards", json!({ "name": "x", "tagIds": most })).await.expect(201));
    assert_snapshot!(project.put(&card.at(&format!("tags/{last}"))).await, @"400 INVALID_REQUEST path.tagId maxItems");
    project.put(&card.at(&format!("tags/{}", most[0]))).await.expect(200);
}
