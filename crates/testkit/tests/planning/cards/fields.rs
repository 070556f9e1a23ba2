//! Priority, type and start day of cards.

use insta::assert_snapshot;
use serde_json::json;
use testkit::answer::redacted_lines;
use testkit::caller::Base;

use crate::cards::support::{Card, Project};

/// The names of the cards that a query finds, in their order.
async fn names(project: &Project, query: &str) -> Vec<String> {
    let answer = project.get(&format!("cards?{query}")).await.expect(200).json();
    let cards = answer["cards"].as_array().unwrap();
    cards.iter().map(|card| card["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_card_has_a_priority_a_type_and_a_start_day() {
    let project = Project::open().await;
    let plain = project.post("cards", json!({ "name": "plain" })).await.expect(201).json();
    let [priority, kind, start] = ["priority", "type", "start_date"].map(|field| &plain["card"][field]);
    assert_eq!((priority, kind, start), (&json!("none"), &json!("task"), &json!(null)));
    let body =
        json!({ "name": "x", "priority": "urgent", "type": " Design  Review ", "startDate": "2026-12-01" });
    let card = Card::of(&project.post("cards", body).await.expect(201));
    let read = project.get(&card.path()).await.json();
    assert_eq!(read["card"]["type"], "design review");
    assert_eq!(read["indexCard"]["start_date"], "2026-12-01");
    let changed = json!({ "priority": "low", "type": "bug", "startDate": null });
    let changed = project.patch(&card.path(), changed).await.expect(200).json();
    assert_eq!(changed["indexCard"]["priority"], "low");
    assert_eq!(changed["card"]["start_date"], json!(null));
    let history = project.get(&card.at("history")).await.json();
    assert_snapshot!(redacted_lines(&history["history"][1]["changes"]), @r#"
    {
      "priority": {"after":"low","before":"urgent"},
      "start_date": {"after":null,"before":"2026-12-01"},
      "type": {"after":"bug","before":"design review"}
    }
    "#);
    let cleared = json!({ "priority": null, "type": null });
    let cleared = project.patch(&card.path(), cleared).await.expect(200).json();
    assert_eq!([&cleared["card"]["priority"], &cleared["card"]["type"]], [&json!("none"), &json!("task")]);
}

#[tokio::test]
async fn wrong_values_are_refused_at_their_fields() {
    let project = Project::open().await;
    for (field, value) in [
        ("priority", json!("High")),
        ("priority", json!(1)),
        ("type", json!("")),
        ("type", json!("a,b")),
        ("type", json!("x".repeat(51))),
        ("startDate", json!("2026-12-01T00:00:00Z")),
        ("startDate", json!("2026-02-30")),
    ] {
        let answer = project.post("cards", json!({ "name": "x", field: value.clone() })).await.expect(400);
        assert!(answer.to_string().contains(&format!("body.{field}")), "{field} {value}: {answer}");
    }
}

#[tokio::test]
async fn cards_are_filtered_and_sorted_by_priority_and_type() {
    let project = Project::open().await;
    for (name, priority, kind) in [
        ("a", "low", "task"),
        ("b", "urgent", "bug"),
        ("c", "none", "bug"),
        ("d", "high", "change"),
        ("e", "urgent", "task"),
        ("f", "medium", "seal test"),
    ] {
        let body = json!({ "name": name, "priority": priority, "type": kind });
        project.post("cards", body).await.expect(201);
    }
    assert_eq!(names(&project, "priority=urgent,high").await, ["e", "d", "b"]);
    assert_eq!(names(&project, "type=bug&priority=none").await, ["c"]);
    assert_eq!(names(&project, "type=Seal%20Test,change&sort=oldest").await, ["d", "f"]);
    assert_eq!(names(&project, "sort=priority").await, ["e", "b", "d", "f", "a", "c"]);
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let answer = project.get(&format!("cards?sort=priority&limit=2{cursor}")).await.expect(200).json();
        let cards = answer["cards"].as_array().unwrap().clone();
        paged.extend(cards.iter().map(|card| card["name"].as_str().unwrap().to_owned()));
        match answer["meta"]["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(paged, ["e", "b", "d", "f", "a", "c"]);
    let found = project.caller.get("/api/v2/cards?sort=priority&type=bug").await.expect(200).json();
    assert_eq!([&found["cards"][0]["name"], &found["cards"][1]["name"]], ["b", "c"]);
    let many = project.get("cards?priority=high,low,none,medium,urgent,high").await;
    assert_snapshot!(many, @"400 INVALID_REQUEST query.priority maxItems");
    assert_snapshot!(project.get("cards?priority=asap").await, @"400 INVALID_REQUEST query.priority[0] enum");
}
