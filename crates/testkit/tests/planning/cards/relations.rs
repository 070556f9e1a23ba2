//! Relations between cards.

use futures_util::future::join;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

use crate::cards::support::{Card, Project};

impl Project {
    /// The kinds, directions and keys of a card's relations.
    async fn relations(&self, card: &Card) -> Vec<String> {
        let answer = self.get(&card.at("relations")).await.expect(200).json();
        let line = |relation: &Value| {
            let text = |place: &str| relation.pointer(place).unwrap().as_str().unwrap().to_owned();
            format!("{} {} {}", text("/kind"), text("/direction"), text("/card/key"))
        };
        answer["relations"].as_array().unwrap().iter().map(line).collect()
    }

    async fn relate(&self, card: &Card, kind: &str, other: &str) -> testkit::answer::Answer {
        self.put(&card.at(&format!("relations/{other}"))).json(json!({ "kind": kind })).await
    }
}

#[tokio::test]
async fn both_cards_tell_a_relation_from_their_sides() {
    let project = Project::open().await;
    let (a, b) = (project.card("a").await, project.card("b").await);
    let related = project.relate(&a, "blocks", "GEAR-2").await.expect(200);
    assert_eq!(project.relate(&a, "blocks", &b.id).await.expect(200).json(), related.json());
    project.relate(&a, "duplicates", &b.id).await.expect(200);
    project.relate(&b, "relates", &a.id).await.expect(200);
    project.relate(&a, "relates", &b.id).await.expect(200);
    assert_eq!(
        project.relations(&a).await,
        ["blocks outward GEAR-2", "duplicates outward GEAR-2", "relates mutual GEAR-2"]
    );
    assert_eq!(
        project.relations(&b).await,
        ["blocks inward GEAR-1", "duplicates inward GEAR-1", "relates mutual GEAR-1"]
    );
    let history = project.get(&b.at("history")).await.json();
    let change = &history["history"][1]["changes"]["relation"];
    assert_eq!(
        *change,
        json!({ "before": null, "after": { "direction": "inward", "id": a.id, "kind": "blocks" } })
    );
    let read = project.get(&b.path()).await.json();
    assert_eq!(read["relations"][0]["card"]["name"], "a");
    let kind = |kind: &str| json!({ "kind": kind });
    let at = |card: &Card, other: &Card| card.at(&format!("relations/{}", other.id));
    assert_snapshot!(project.delete(&at(&b, &a)).json(kind("blocks")).await, @"404 NOT_FOUND");
    project.delete(&at(&a, &b)).json(kind("blocks")).await.expect(200);
    project.delete(&at(&b, &a)).await.expect(200);
    assert_eq!(project.relations(&a).await, [""; 0]);
    assert_snapshot!(project.delete(&at(&a, &b)).await, @"404 NOT_FOUND");
    assert_eq!(project.history(&a.id).await.len(), 7);
    assert_eq!(project.history(&b.id).await.len(), 7);
}

#[tokio::test]
async fn a_card_is_blocked_while_a_card_that_blocks_it_is_open() {
    let project = Project::open().await;
    let (a, b) = (project.card("a").await, project.card("b").await);
    project.relate(&a, "blocks", &b.id).await.expect(200);
    let names = async |query: &str| {
        let answer = project.get(&format!("cards?{query}")).await.expect(200).json();
        answer["cards"].as_array().unwrap().iter().map(|card| card["name"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(names("blocked=true").await, ["b"]);
    assert_eq!(names("blocked=false").await, ["a"]);
    let tag = project.get(&b.path()).await.expect(200).header("etag").to_owned();
    project.get(&b.path()).header("if-none-match", &tag).await.expect(304);
    project.patch(&a.path(), json!({ "isOpen": false })).await.expect(200);
    // The blocked card's head is the same, and what it tells of the other one isn't.
    let read = project.get(&b.path()).header("if-none-match", &tag).await.expect(200).json();
    assert_eq!(read["relations"][0]["card"]["isOpen"], false);
    let changed = project.patch(&b.path(), json!({ "effort": 2 })).header("if-match", &tag).await;
    changed.expect(200);
    assert_eq!(names("blocked=true").await, [Value::Null; 0]);
}

#[tokio::test]
async fn a_deleted_card_leaves_the_relations_of_others() {
    let project = Project::open().await;
    let (a, b) = (project.card("a").await, project.card("b").await);
    project.relate(&a, "blocks", &b.id).await.expect(200);
    project.delete(&a.path()).await.expect(200);
    assert_eq!(project.relations(&b).await, [""; 0]);
    assert_eq!(
        project.history(&b.id).await,
        ["created is_open,name", "linked relation", "unlinked relation"]
    );
}

#[tokio::test]
async fn relations_to_what_is_no_other_card_of_the_project_are_refused() {
    let project = Project::open().await;
    let a = project.card("a").await;
    assert_snapshot!(project.relate(&a, "blocks", &a.id).await, @"400 INVALID_REQUEST path.otherCardId conflict");
    assert_snapshot!(project.relate(&a, "blocks", ABSENT_ID).await, @"404 NOT_FOUND");
    assert_snapshot!(project.relate(&a, "follows", ABSENT_ID).await, @"400 INVALID_REQUEST body.kind enum");
    let hidden = Project::open().await;
    let foreign = hidden.card("x").await;
    assert_eq!(
        project.relate(&a, "blocks", &foreign.id).await.to_string(),
        project.relate(&a, "blocks", ABSENT_ID).await.to_string()
    );
    assert_eq!(hidden.history(&foreign.id).await, ["created is_open,name"]);
}

#[tokio::test]
async fn two_requests_at_once_relate_two_cards_once() {
    let project = Project::open().await;
    for _ in 0..5 {
        let (a, b) = (project.card("a").await, project.card("b").await);
        let (one, two) =
            join(project.relate(&a, "relates", &b.id), project.relate(&b, "relates", &a.id)).await;
        one.expect(200);
        two.expect(200);
        assert_eq!(project.relations(&a).await.len(), 1);
        assert_eq!(project.history(&b.id).await.len(), 2);
    }
}
