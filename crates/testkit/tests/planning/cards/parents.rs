//! Parents and children of cards.

use futures_util::future::join;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

use crate::cards::support::{Card, Project};

impl Project {
    async fn child(&self, name: &str, parent: &Card) -> Card {
        let body = json!({ "name": name, "parentId": parent.id, "effort": 2 });
        Card::of(&self.post("cards", body).await.expect(201))
    }
}

#[tokio::test]
async fn a_card_tells_the_progress_of_all_cards_below_it() {
    let project = Project::open().await;
    let top = project.card("top").await;
    let (a, b) = (project.child("a", &top).await, project.child("b", &top).await);
    let below = project.child("below", &a).await;
    project.patch(&b.path(), json!({ "isOpen": false })).await.expect(200);
    project.patch(&below.path(), json!({ "isOpen": false, "effort": 5 })).await.expect(200);
    let read = project.get(&top.path()).await.json();
    assert_eq!(read["children"], json!({ "total": 3, "closed": 2, "effort": 9, "closedEffort": 7 }));
    let tag = project.get(&top.path()).await.header("etag").to_owned();
    let another = project.child("c", &b).await;
    project.get(&top.path()).header("if-none-match", &tag).await.expect(200);
    project.delete(&another.path()).await.expect(200);
    project.get(&top.path()).header("if-none-match", &tag).await.expect(304);
    let names = async |query: &str| {
        let answer = project.get(&format!("cards?sort=oldest&{query}")).await.expect(200).json();
        answer["cards"].as_array().unwrap().iter().map(|card| card["name"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(names(&format!("parent={}", top.id)).await, ["a", "b"]);
    assert_eq!(names("parent=none").await, ["top"]);
    project.patch(&below.path(), json!({ "parentId": null })).await.expect(200);
    assert_eq!(names("parent=none").await, ["top", "below"]);
    assert_eq!(project.history(&below.id).await.last().unwrap(), "updated parent_id");
}

#[tokio::test]
async fn a_deleted_card_releases_its_children_with_a_row_of_their_history() {
    let project = Project::open().await;
    let top = project.card("top").await;
    let (a, b) = (project.child("a", &top).await, project.child("b", &top).await);
    project.delete(&top.path()).await.expect(200);
    for card in [&a, &b] {
        let read = project.get(&card.path()).await.expect(200);
        assert_eq!(read.json()["card"]["parent_id"], json!(null));
        assert_eq!(
            project.history(&card.id).await,
            ["created effort,is_open,name,parent_id", "updated parent_id"]
        );
        // Its head moved, so a change of the parent since conflicts.
        let stale = json!({ "parentId": null, "name": "x", "expectedHistoryHeadId": card.head });
        project.patch(&card.path(), stale).await.expect(200);
    }
}

#[tokio::test]
async fn parents_make_no_cycles_and_at_most_eight_levels() {
    let project = Project::open().await;
    let mut levels = vec![project.card("1").await];
    for level in 2..=8 {
        let card = project.child(&level.to_string(), levels.last().unwrap()).await;
        levels.push(card);
    }
    let ninth = json!({ "name": "9", "parentId": levels[7].id });
    assert_snapshot!(project.post("cards", ninth).await, @"400 INVALID_REQUEST body.parentId maxDepth");
    let reparent =
        async |card: &Card, parent: &str| project.patch(&card.path(), json!({ "parentId": parent })).await;
    for lower in [0, 3, 7] {
        let refused = reparent(&levels[0], &levels[lower].id).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.parentId cycle");
    }
    // A card brings those below it.
    let top = project.card("top").await;
    assert_snapshot!(reparent(&levels[0], &top.id).await, @"400 INVALID_REQUEST body.parentId maxDepth");
    reparent(&levels[1], &top.id).await.expect(200);
    assert_snapshot!(reparent(&levels[0], ABSENT_ID).await, @"400 INVALID_REQUEST body.parentId exists");
    assert_snapshot!(reparent(&levels[0], "GEAR-99").await, @"400 INVALID_REQUEST body.parentId exists");
}

#[tokio::test]
async fn two_requests_at_once_make_no_cycle() {
    let project = Project::open().await;
    for _ in 0..8 {
        let (a, b) = (project.card("a").await, project.card("b").await);
        let under = async |card: &Card, parent: &Card| {
            project.patch(&card.path(), json!({ "parentId": parent.id })).await
        };
        let (first, second) = join(under(&a, &b), under(&b, &a)).await;
        let mut statuses = [first.status, second.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 400], "{first} {second}");
    }
}

#[tokio::test]
async fn a_parent_is_deleted_or_gets_a_child_but_not_both() {
    let project = Project::open().await;
    for _ in 0..8 {
        let (parent, card) = (project.card("a").await, project.card("b").await);
        let under = project.patch(&card.path(), json!({ "parentId": parent.id }));
        let deleted = project.delete(&parent.path());
        let (under, deleted) = join(under.into_future(), deleted.into_future()).await;
        deleted.expect(200);
        assert!([200, 400].contains(&under.status), "{under}");
        assert_eq!(project.get(&card.path()).await.json()["card"]["parent_id"], json!(null));
    }
}
