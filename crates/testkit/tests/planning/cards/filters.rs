//! Filters of lists of cards: several values, missing values, the caller, and the opposite of each.

use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::seed::User;
use testkit::session::encoded;

use crate::cards::support::{Card, Project};

/// Cards of two people: `mine`, `both`, `bobs` and `free`, named by their assignees.
struct Assigned {
    project: Project,
    bob: User,
}

impl Assigned {
    async fn open() -> Self {
        let project = Project::open().await;
        let (bob, _) = project.member("bob", "editor").await;
        for (name, people) in [
            ("mine", vec![&project.alice.id]),
            ("both", vec![&project.alice.id, &bob.id]),
            ("bobs", vec![&bob.id]),
            ("free", Vec::new()),
        ] {
            let card = project.card(name).await;
            for user in people {
                project.put(&card.at(&format!("assignees/{user}"))).await.expect(200);
            }
        }
        Self { project, bob }
    }
}

/// The names of the cards that a filter keeps, in one project and over all, in the order of their creation.
async fn list(project: &Project, query: &str) -> String {
    let names = |answer: Value| {
        let cards = answer["cards"].as_array().unwrap().iter();
        cards.map(|card| card["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    let one = names(project.get(&format!("cards?sort=oldest&{query}")).await.expect(200).json());
    let all = project.caller.get(&format!("/api/v2/cards?sort=oldest&{query}")).await.expect(200);
    assert_eq!(names(all.json()), one, "{query}");
    one
}

#[tokio::test]
async fn several_assignees_nobody_and_me_are_named_and_excluded() {
    let Assigned { project, bob } = Assigned::open().await;
    let bob = &bob.id;
    for (query, cards) in [
        ("assignee=me".to_owned(), "mine both"),
        (format!("assignee=me,{bob}"), "mine both bobs"),
        (format!("assignee={bob},none"), "both bobs free"),
        ("assignee=none".to_owned(), "free"),
        // Cards without an assignee are not somebody's.
        ("assignee=!me".to_owned(), "bobs free"),
        (format!("assignee=!{bob},!none"), "mine"),
        ("assignee=!none".to_owned(), "mine both bobs"),
        (format!("assignee=me,!{bob}"), "mine"),
        ("assignee=none,!none".to_owned(), ""),
        ("author=me".to_owned(), "mine both bobs free"),
        ("author=!me".to_owned(), ""),
        (format!("author={bob}"), ""),
        (format!("author={bob},me"), "mine both bobs free"),
    ] {
        assert_eq!(list(&project, &query).await, cards, "{query}");
    }
}

#[tokio::test]
async fn tags_priorities_types_and_parents_are_named_and_excluded() {
    let project = Project::open().await;
    let (wet, dry) = (project.tag("wet").await, project.tag("dry").await);
    let whole = json!({ "name": "whole", "priority": "high", "type": "change", "tagIds": [wet, dry] });
    let whole = Card::of(&project.post("cards", whole).await.expect(201));
    let part =
        json!({ "name": "part", "priority": "low", "type": "!odd", "parentId": whole.id, "tagIds": [wet] });
    project.post("cards", part).await.expect(201);
    project.card("rest").await;
    let odd = encoded("=!odd");
    for (query, cards) in [
        (format!("tag={wet}"), "whole part"),
        (format!("tag={wet},{dry},{wet}"), "whole"),
        (format!("tag=!{dry}"), "part rest"),
        (format!("tag={wet},!{dry}"), "part"),
        ("tag=none".to_owned(), "rest"),
        ("tag=!none".to_owned(), "whole part"),
        (format!("tag=none,{wet}"), ""),
        (format!("tag=!none,!{dry}"), "part"),
        ("priority=high,none".to_owned(), "whole rest"),
        ("priority=!low".to_owned(), "whole rest"),
        ("priority=!low,!none".to_owned(), "whole"),
        ("type=change,task".to_owned(), "whole rest"),
        ("type=!change".to_owned(), "part rest"),
        // A type whose name begins with the sign of the opposite.
        (format!("type={odd}"), "part"),
        (format!("type={}", encoded("!!odd")), "whole rest"),
        (format!("parent={}", whole.id), "part"),
        ("parent=none".to_owned(), "whole rest"),
        (format!("parent={},none", whole.id), "whole part rest"),
        (format!("parent=!{}", whole.id), "whole rest"),
        ("parent=!none".to_owned(), "part"),
    ] {
        assert_eq!(list(&project, &query).await, cards, "{query}");
    }
    for query in
        ["tag=", "tag=!", "tag=me", "priority=!asap", "priority=!!low", "type=!", "parent=!x", "author=none"]
    {
        let refused = project.get(&format!("cards?{query}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_REQUEST"), "{query}");
    }
    let twice = project.get("cards?priority=low&priority=high").await;
    assert_eq!(twice.code(), "INVALID_REQUEST");
}

#[tokio::test]
async fn deadlines_are_missing_late_or_within_a_week_by_the_day() {
    let project = Project::open().await;
    let day = |days: i64| {
        let time = domain::time::Clock::system().now().plus_seconds(days * 24 * 60 * 60);
        json!(time.to_string().get(..10))
    };
    for (name, deadline) in
        [("late", day(-2)), ("soon", day(3)), ("later", day(30)), ("never", Value::Null), ("done", day(-2))]
    {
        let body = json!({ "name": name, "deadline": deadline });
        let card = Card::of(&project.post("cards", body).await.expect(201));
        if name == "done" {
            project.patch(&card.path(), json!({ "isOpen": false })).await.expect(200);
        }
    }
    for (query, cards) in [
        ("due=late", "late"),
        ("due=week", "soon"),
        ("due=none", "never"),
        ("due=late,week", "late soon"),
        ("due=!none", "late soon later done"),
        ("due=!late,!week", "later never done"),
    ] {
        assert_eq!(list(&project, query).await, cards, "{query}");
    }
    assert_eq!(project.get("cards?due=today").await.code(), "INVALID_REQUEST");
}

#[tokio::test]
async fn pages_go_on_with_the_same_filter_alone() {
    let Assigned { project, .. } = Assigned::open().await;
    let first = project.get("cards?limit=1&assignee=!none").await.expect(200);
    let cursor = first.text("/meta/nextCursor");
    let next = project.get(&format!("cards?limit=1&assignee=!none&cursor={cursor}")).await.expect(200).json();
    assert_eq!(next["cards"][0]["name"], "both");
    let other = project.get(&format!("cards?limit=1&assignee=none&cursor={cursor}")).await;
    assert_eq!(other.to_string(), "400 INVALID_PAGINATION");
}
