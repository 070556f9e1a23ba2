//! Cards in the order of a custom field, page by page.

use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::seed::MANAGE_WITH_CARDS;

use crate::cards::support::{Card, Project};

/// The names of all cards in an order, read in pages of two.
async fn sorted(project: &Project, sort: &str) -> String {
    pages(project, &format!("/api/v2/projects/{}/cards", project.id), sort).await
}

async fn pages(project: &Project, path: &str, query: &str) -> String {
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = project.caller.get(&format!("{path}?limit=2&{query}{cursor}")).await.expect(200).json();
        let names = page["cards"].as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap());
        seen.extend(names.map(str::to_owned));
        match page["meta"]["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return seen.join(" "),
        }
    }
}

/// Creates a custom field; returns its id.
async fn field(project: &Project, body: Value) -> String {
    project.post("fields", body).await.expect(201).text("/field/id")
}

async fn card(project: &Project, name: &str, fields: Value) -> Card {
    Card::of(&project.post("cards", json!({ "name": name, "fields": fields })).await.expect(201))
}

#[tokio::test]
async fn numbers_texts_days_and_options_are_sorted_with_ties_by_age_and_cards_without_one_last() {
    let project = Project::open().await;
    let weight = field(&project, json!({ "name": "Weight", "type": "number", "unit": "kg" })).await;
    field(&project, json!({ "name": "Maker", "type": "text" })).await;
    field(&project, json!({ "name": "Needed on", "type": "date" })).await;
    field(&project, json!({ "name": "Risk", "type": "choice", "options": ["low", "high", "unknown"] })).await;
    field(&project, json!({ "name": "Finish", "type": "choices", "options": ["raw", "oiled"] })).await;
    field(&project, json!({ "name": "Quote", "type": "url" })).await;
    for (name, fields) in [
        ("a", json!({ "Weight": 10, "Maker": "Zahn", "Risk": "unknown", "Quote": "https://b.example/" })),
        ("b", json!({ "Weight": 2.5, "Needed on": "2026-12-24", "Risk": "high", "Finish": ["oiled"] })),
        ("c", json!({})),
        (
            "d",
            json!({ "Weight": -1, "Maker": "Anker", "Needed on": "2025-01-01", "Finish": ["oiled", "raw"] }),
        ),
        ("e", json!({ "Weight": 2.5, "Maker": "Anker", "Risk": "high", "Quote": "https://a.example/" })),
        ("f", json!({ "Weight": 2.5, "Risk": "low", "Finish": ["raw"] })),
        ("g", json!({})),
    ] {
        card(&project, name, fields).await;
    }
    for (sort, names) in [
        ("field-Weight", "d b e f a c g"),
        ("-field-weight", "a f e b d g c"),
        ("field-Maker", "d e a b c f g"),
        ("-field-Maker", "a e d g f c b"),
        ("field-Needed%20on", "d b a c e f g"),
        ("-field-Needed%20on", "b d g f e c a"),
        ("field-Risk", "f b e a c d g"),
        ("-field-Risk", "a e b f g d c"),
        ("field-Finish", "d f b a c e g"),
        ("-field-Finish", "b f d g e c a"),
        ("field-Quote", "e a b c d f g"),
    ] {
        assert_eq!(sorted(&project, &format!("sort={sort}")).await, names, "{sort}");
    }
    let by_id = format!("sort=-field-{weight}&open=true&fields=%7B%22Weight%22:%7B%22to%22:3%7D%7D");
    assert_eq!(sorted(&project, &by_id).await, "f e b d");
    // A table follows the same order.
    let table = project.get("cards.csv?sort=-field-Weight").await.expect(200);
    let mut reader = csv::Reader::from_reader(&*table.body);
    let column = reader.headers().unwrap().iter().position(|name| name == "name").unwrap();
    let names: Vec<String> = reader.records().map(|row| row.unwrap()[column].to_owned()).collect();
    assert_eq!(names.join(" "), "a f e b d g c");
}

#[tokio::test]
async fn people_are_sorted_by_their_names() {
    let project = Project::open().await;
    field(&project, json!({ "name": "Buyer", "type": "user" })).await;
    let (zoe, _) = project.member("zoe", "editor").await;
    let (bob, _) = project.member("Bob", "editor").await;
    for (name, buyer) in [
        ("a", json!(zoe.id)),
        ("b", Value::Null),
        ("c", json!(bob.id)),
        ("d", json!(zoe.id)),
        ("e", json!(bob.id)),
    ] {
        let fields = if buyer.is_null() { json!({}) } else { json!({ "Buyer": buyer }) };
        card(&project, name, fields).await;
    }
    assert_eq!(sorted(&project, "sort=field-Buyer").await, "c e a d b");
    assert_eq!(sorted(&project, "sort=-field-Buyer").await, "d a e c b");
}

#[tokio::test]
async fn an_order_outlives_other_names_of_the_field_and_other_places_of_its_options() {
    let project = Project::open().await;
    let risk = field(&project, json!({ "name": "Risk", "type": "choice", "options": ["low", "high"] })).await;
    for (name, risk) in [("a", "high"), ("b", "low"), ("c", "high"), ("d", "low")] {
        card(&project, name, json!({ "Risk": risk })).await;
    }
    let path = format!("fields/{risk}");
    let first = format!("cards?limit=3&sort=field-{risk}");
    let first = project.get(&first).await.expect(200);
    let cursor = first.text("/meta/nextCursor");
    let options = project.get(&path).await.expect(200).json()["field"]["options"].clone();
    let turned = json!({ "name": "Danger", "status": "archived", "options": [
        { "id": options[1]["id"], "name": "grave" }, { "id": options[0]["id"], "name": "low", "isArchived": true },
    ] });
    project.patch(&path, turned).await.expect(200);
    // The page goes on behind the card with which the one before ended.
    let next =
        project.get(&format!("cards?limit=3&sort=field-{risk}&cursor={cursor}")).await.expect(200).json();
    let names: Vec<&Value> = next["cards"].as_array().unwrap().iter().map(|card| &card["name"]).collect();
    assert_eq!(names, ["c", "b", "d"]);
    assert_eq!(sorted(&project, "sort=field-Danger").await, "a c b d");
    let gone = project.get("cards?sort=field-Risk").await.expect(400);
    assert!(gone.to_string().contains("query.sort exists"), "{gone}");
}

#[tokio::test]
async fn fields_of_one_name_sort_the_cards_of_all_projects() {
    let project = Project::open().await;
    let other = testkit::session::create_project(&project.caller, "Other").await;
    let at = |rest: &str| format!("/api/v2/projects/{other}/{rest}");
    field(&project, json!({ "name": "Weight", "type": "number" })).await;
    project.caller.post(&at("fields")).json(json!({ "name": "weight", "type": "number" })).await.expect(201);
    for (name, weight) in [("a", 1), ("c", 3)] {
        card(&project, name, json!({ "Weight": weight })).await;
    }
    project.card("without").await;
    for (name, weight) in [("b", 2), ("d", 4)] {
        let body = json!({ "name": name, "fields": { "Weight": weight } });
        project.caller.post(&at("cards")).json(body).await.expect(201);
    }
    assert_eq!(pages(&project, "/api/v2/cards", "sort=field-Weight").await, "a b c d without");
    assert_eq!(pages(&project, "/api/v2/cards", "sort=-field-Weight").await, "d c b a without");
}

#[tokio::test]
async fn an_order_by_an_unknown_or_hidden_field_is_refused() {
    let project = Project::open().await;
    let hidden = field(&project, json!({ "name": "Secret", "type": "text" })).await;
    for (sort, refused) in [
        ("field-Nothing", "query.sort exists"),
        ("field-", "query.sort format"),
        ("-priority", "query.sort format"),
        ("weight", "query.sort format"),
    ] {
        let answer = project.get(&format!("cards?sort={sort}")).await.expect(400);
        assert!(answer.to_string().contains(refused), "{sort}: {answer}");
        let table = project.get(&format!("cards.csv?sort={sort}")).await.expect(400);
        assert!(table.to_string().contains(refused), "{sort}: {table}");
    }
    let stranger = project.deployment.operator().user("stranger").await.key(MANAGE_WITH_CARDS).await;
    for named in [hidden.as_str(), "Secret"] {
        let answer = stranger.get(&format!("/api/v2/cards?sort=field-{named}")).await.expect(400);
        assert!(answer.to_string().contains("query.sort exists"), "{answer}");
    }
    let first = project.get("cards?limit=1&sort=field-Secret").await.expect(200).json();
    assert_eq!(first["cards"], json!([]));
}
