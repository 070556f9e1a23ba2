//! Checklists of cards.

use futures_util::future::{join, join_all};
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

use crate::cards::support::{Card, Project};

impl Project {
    async fn line(&self, card: &Card, text: &str) -> String {
        self.post(&card.at("checklist"), json!({ "text": text })).await.expect(201).text("/item/id")
    }

    /// The lines with their ticks.
    async fn checklist(&self, card: &Card) -> String {
        let answer = self.get(&card.at("checklist")).await.expect(200).json();
        let line = |item: &Value| {
            let tick = if item["isDone"] == true { "x" } else { "-" };
            format!("{tick}{}", item["text"].as_str().unwrap())
        };
        answer["items"].as_array().unwrap().iter().map(line).collect::<Vec<_>>().join(" ")
    }

    async fn lines(&self, card: &Card) -> Value {
        self.get(&card.path()).await.expect(200).json()["indexCard"]["checklist"].clone()
    }
}

#[tokio::test]
async fn lines_are_added_ticked_moved_and_deleted() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let (a, b) = (project.line(&card, "a").await, project.line(&card, "b").await);
    let body = json!({ "text": "c", "isDone": true, "afterItemId": a });
    let c = project.post(&card.at("checklist"), body).await.expect(201).text("/item/id");
    assert_eq!(project.checklist(&card).await, "-a xc -b");
    assert_eq!(project.lines(&card).await, json!({ "total": 3, "done": 1 }));
    let at = |line: &str| card.at(&format!("checklist/{line}"));
    project.patch(&at(&b), json!({ "isDone": true, "text": "B" })).await.expect(200);
    project.patch(&at(&b), json!({ "afterItemId": null })).await.expect(200);
    project.patch(&at(&a), json!({ "afterItemId": c })).await.expect(200);
    assert_eq!(project.checklist(&card).await, "xB xc -a");
    assert_eq!(project.lines(&card).await, json!({ "total": 3, "done": 2 }));
    project.delete(&at(&c)).await.expect(200);
    assert_snapshot!(project.delete(&at(&c)).await, @"404 NOT_FOUND");
    assert_eq!(project.lines(&card).await, json!({ "total": 2, "done": 1 }));
    // Moves leave no row.
    let lines = ["created is_open,name", "updated checklist_item"];
    let expected: Vec<&str> = lines[..1].iter().chain([&lines[1]; 5]).copied().collect();
    assert_eq!(project.history(&card.id).await, expected);
}

#[tokio::test]
async fn people_who_work_on_one_checklist_lose_nothing() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let lines = join_all((0..12).map(async |at: u32| project.line(&card, &at.to_string()).await)).await;
    assert_eq!(project.lines(&card).await, json!({ "total": 12, "done": 0 }));
    // All saw the same head, and each changes a line that nobody else does.
    let head = project.get(&card.path()).await.text("/historyHeadId");
    let tick = async |line: &String| {
        let path = card.at(&format!("checklist/{line}"));
        project.patch(&path, json!({ "isDone": true, "expectedHistoryHeadId": head })).await
    };
    let rename = project.patch(&card.path(), json!({ "name": "y" })).into_future();
    let (ticked, renamed) = join(join_all(lines.iter().map(tick)), rename).await;
    renamed.expect(200);
    for answer in ticked {
        answer.expect(200);
    }
    assert_eq!(tick(&lines[0]).await.status, 200, "a repeat changes nothing");
    let clear = json!({ "isDone": false, "expectedHistoryHeadId": head });
    project.patch(&card.at(&format!("checklist/{}", lines[0])), clear).await.expect(409);
    assert_eq!(project.lines(&card).await, json!({ "total": 12, "done": 12 }));
}

#[tokio::test]
async fn bad_lines_are_refused() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let a = project.line(&card, "a").await;
    for text in ["", " \u{200b}", "a\0b"] {
        let answer = project.post(&card.at("checklist"), json!({ "text": text })).await;
        assert_eq!(answer.to_string(), "400 INVALID_REQUEST body.text format", "{text:?}");
    }
    let long = json!({ "text": "x".repeat(1_001) });
    assert_snapshot!(project.post(&card.at("checklist"), long).await, @"400 INVALID_REQUEST body.text maxLength");
    let at = card.at(&format!("checklist/{a}"));
    assert_snapshot!(project.patch(&at, json!({})).await, @"400 INVALID_REQUEST body minProperties");
    assert_snapshot!(project.patch(&at, json!({ "text": null })).await, @"400 INVALID_REQUEST body.text required");
    let behind = json!({ "text": "x", "afterItemId": ABSENT_ID });
    assert_snapshot!(project.post(&card.at("checklist"), behind).await, @"400 INVALID_REQUEST body.afterItemId exists");
    let itself = json!({ "afterItemId": a });
    assert_snapshot!(project.patch(&at, itself).await, @"400 INVALID_REQUEST body.afterItemId exists");
    let other = project.card("y").await;
    let elsewhere = other.at(&format!("checklist/{a}"));
    assert_snapshot!(project.patch(&elsewhere, json!({ "isDone": true })).await, @"404 NOT_FOUND");
    for at in 1..200 {
        project.line(&card, &at.to_string()).await;
    }
    let full = project.post(&card.at("checklist"), json!({ "text": "x" })).await;
    assert_snapshot!(full, @r#"403 LIMIT_REACHED {"current":200,"limit":200,"resource":"lines of a checklist"}"#);
}
