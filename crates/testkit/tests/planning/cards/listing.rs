//! Listing cards: filters, literal search, pages.

use serde_json::{Value, json};

use crate::cards::support::{Card, Project};
use testkit::caller::Base;

fn names(answer: &Value) -> Vec<&str> {
    answer["cards"].as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn filters_keep_only_matching_cards() {
    let project = Project::open().await;
    let tag = project.tag("urgent").await;
    let plain = project.card("plain").await;
    project.post("cards", json!({ "name": "tagged", "tagIds": [tag] })).await.expect(201);
    project.post("cards", json!({ "name": "assigned", "assigneeId": project.alice.id })).await.expect(201);
    let closed = project.card("closed").await;
    let closed = project.patch(&closed.path(), json!({ "isOpen": false })).await.expect(200);
    let list = async |query: &str| {
        let answer = project.get(&format!("cards?{query}")).await.expect(200).json();
        let mut names: Vec<String> = names(&answer).into_iter().map(str::to_owned).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(list("").await, "assigned closed plain tagged");
    assert_eq!(list("open=true").await, "assigned plain tagged");
    assert_eq!(list("open=false").await, "closed");
    assert_eq!(list(&format!("tag={tag}")).await, "tagged");
    assert_eq!(list(&format!("assignee={}", project.alice.id)).await, "assigned");
    assert_eq!(list(&format!("assignee={}&tag={tag}", project.alice.id)).await, "");
    let since = closed.text("/card/updated_at");
    assert_eq!(list(&format!("updatedSince={since}")).await, "closed");
    project.put(&plain.at(&format!("tags/{tag}"))).await.expect(200);
    assert_eq!(list(&format!("updatedSince={since}")).await, "closed plain");
    for query in
        ["open=1", "tag=x", "updatedSince=yesterday", "isOpen=true", &format!("q={}", "x".repeat(201))]
    {
        let refused = project.get(&format!("cards?{query}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_REQUEST"), "{query}");
    }
}

#[tokio::test]
async fn search_is_literal_and_ignores_case_in_any_script() {
    let project = Project::open().await;
    for (name, description, resolution) in [
        ("100% done_x", "", ""),
        ("100 percent", "Stra\u{df}e", ""),
        ("\u{421}\u{431}\u{43e}\u{440}\u{43a}\u{430}", "", "\u{e9}tal\u{e9}"),
        ("\u{8bbe}\u{8ba1}\u{8bc4}\u{5ba1}", "back\\slash", ""),
    ] {
        let body = json!({ "name": name, "description": description, "resolution": resolution });
        project.post("cards", body).await.expect(201);
    }
    // Text beyond that of the index row is found, too.
    let body = json!({ "name": "long", "description": format!("{}needle", "x ".repeat(4_990)) });
    project.post("cards", body).await.expect(201);
    for (q, expected) in [
        ("%25", "100% done_x"),
        ("E_X", "100% done_x"),
        ("STRASSE", "100 percent"),
        ("%D0%A1%D0%91%D0%9E%D0%A0", "\u{421}\u{431}\u{43e}\u{440}\u{43a}\u{430}"),
        ("E%CC%81TAL", "\u{421}\u{431}\u{43e}\u{440}\u{43a}\u{430}"),
        ("%E8%AE%A1", "\u{8bbe}\u{8ba1}\u{8bc4}\u{5ba1}"),
        ("k%5Cs", "\u{8bbe}\u{8ba1}\u{8bc4}\u{5ba1}"),
        ("NEEDLE", "long"),
    ] {
        let found = project.get(&format!("cards?q={q}")).await.expect(200).json();
        assert_eq!(names(&found), [expected], "{q}");
    }
}

#[tokio::test]
async fn search_does_not_match_across_two_texts() {
    let project = Project::open().await;
    for (name, description) in [("seam", "less"), ("lines", "one\ntwo"), ("mark", "one\u{1e}two")] {
        project.post("cards", json!({ "name": name, "description": description })).await.expect(201);
    }
    for (q, expected) in [
        ("%0A", &["mark", "lines"][..]),
        ("m%0Al", &[]),
        ("one%0Atwo", &["mark", "lines"]),
        ("m%1El", &[]),
        ("%1E", &["mark", "lines"]),
        ("one%C2%A0%20two", &["mark", "lines"]),
    ] {
        let found = project.get(&format!("cards?q={q}")).await.expect(200).json();
        assert_eq!(names(&found), expected, "{q}");
    }
    let found = project.get("cards?q=seam").await.expect(200).json();
    assert_eq!(found["indexCards"][0]["search_text"], "seam\nless");
}

#[tokio::test]
async fn pages_are_consistent_while_cards_are_created_and_deleted() {
    let project = Project::open().await;
    let mut cards: Vec<Card> = Vec::new();
    for number in 0..5 {
        cards.push(project.card(&format!("{number}")).await);
    }
    cards.sort_by(|a, b| b.id.cmp(&a.id));
    let first = project.get("cards?limit=2&open=true").await.expect(200).json();
    assert_eq!(first["meta"]["hasMore"], true);
    let mut seen: Vec<String> = ids(&first);
    let mut cursor = first["meta"]["nextCursor"].as_str().unwrap().to_owned();
    project.card("new").await;
    project.delete(&cards[1].path()).await.expect(200);
    loop {
        let page = project.get(&format!("cards?limit=2&open=true&cursor={cursor}")).await.expect(200).json();
        seen.extend(ids(&page));
        match page["meta"]["nextCursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => break,
        }
    }
    assert_eq!(seen, cards.iter().map(|card| card.id.clone()).collect::<Vec<_>>());
    for query in [format!("cursor={cursor}"), "limit=0".to_owned(), format!("open=true&cursor={cursor}x")] {
        assert_eq!(
            project.get(&format!("cards?{query}")).await.to_string(),
            "400 INVALID_PAGINATION",
            "{query}"
        );
    }
}

#[tokio::test]
async fn cards_are_filtered_by_author_and_deadline() {
    let project = Project::open().await;
    let (bob, by_bob) = project.member("bob", "editor").await;
    by_bob.post(&project.at("cards")).json(json!({ "name": "bobs" })).await.expect(201);
    for (name, deadline) in [("early", "2027-01-01T00:00:00Z"), ("late", "2027-02-01T00:00:00Z")] {
        project.post("cards", json!({ "name": name, "deadline": deadline })).await.expect(201);
    }
    let list = async |query: &str| {
        let answer = project.get(&format!("cards?sort=oldest&{query}")).await.expect(200).json();
        names(&answer).join(" ")
    };
    assert_eq!(list(&format!("author={}", bob.id)).await, "bobs");
    assert_eq!(list(&format!("author={}", project.alice.id)).await, "early late");
    assert_eq!(list("deadlineAfter=2027-01-01T00:00:00Z").await, "early late");
    assert_eq!(list("deadlineAfter=2027-01-01T00:00:00.001Z").await, "late");
    assert_eq!(list("deadlineBefore=2027-02-01T00:00:00Z").await, "early");
    assert_eq!(list("deadlineBefore=2027-01-01T00:00:00Z").await, "");
    for query in
        ["author=x", "deadlineAfter=soon", "deadlineBefore=2027-02-30", "sort=name", "team=x", "sprint=x"]
    {
        let refused = project.get(&format!("cards?{query}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_REQUEST"), "{query}");
    }
}

#[tokio::test]
async fn each_order_is_paged_without_gaps_and_repeats() {
    let project = Project::open().await;
    let deadlines = [
        None,
        Some("2027-03-01T00:00:00Z"),
        None,
        Some("2027-01-01T00:00:00Z"),
        Some("2027-03-01T00:00:00Z"),
    ];
    let mut cards = Vec::new();
    for (number, deadline) in deadlines.iter().enumerate() {
        let body = json!({ "name": format!("{number}"), "deadline": deadline });
        cards.push(Card::of(&project.post("cards", body).await.expect(201)));
    }
    for number in [0, 1] {
        project.patch(&cards[number].path(), json!({ "effort": 1 })).await.expect(200);
    }
    let pages = async |query: &str| {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = project.get(&format!("cards?limit=2&{query}{cursor}")).await.expect(200).json();
            seen.extend(names(&page).into_iter().map(str::to_owned));
            match page["meta"]["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return seen.join(" "),
            }
        }
    };
    assert_eq!(pages("").await, "4 3 2 1 0");
    assert_eq!(pages("sort=newest").await, "4 3 2 1 0");
    assert_eq!(pages("sort=oldest").await, "0 1 2 3 4");
    assert_eq!(pages("sort=updated").await, "1 0 4 3 2");
    assert_eq!(pages("sort=deadline").await, "3 1 4 0 2");
    assert_eq!(pages("sort=deadline&deadlineAfter=2027-02-01T00:00:00Z").await, "1 4");
    let cursor = project.get("cards?limit=2&sort=updated").await.expect(200).text("/meta/nextCursor");
    let refused = project.get(&format!("cards?limit=2&sort=deadline&cursor={cursor}")).await;
    assert_eq!(refused.to_string(), "400 INVALID_PAGINATION");
}

fn ids(answer: &Value) -> Vec<String> {
    let cards = answer["cards"].as_array().unwrap();
    cards.iter().map(|card| card["id"].as_str().unwrap().to_owned()).collect()
}
