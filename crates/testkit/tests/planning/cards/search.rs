//! The search for cards in all projects of the caller.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::deployment::{Deployment, Options};
use testkit::open_session::eventually_async;
use testkit::seed::MANAGE_WITH_CARDS;
use testkit::session::{create_project, encoded};

use crate::cards::support::Project;

async fn search(caller: &Caller, query: &str) -> Answer {
    caller.get(&format!("/api/v2/cards?{query}")).await
}

/// The names of the cards that a caller finds, in their order.
async fn found(caller: &Caller, query: &str) -> String {
    let answer = search(caller, query).await.expect(200).json();
    let name = |card: &Value| card["name"].as_str().unwrap().to_owned();
    let [cards, index_cards] = ["cards", "indexCards"].map(|list| answer[list].as_array().unwrap().clone());
    let names: Vec<String> = cards.iter().map(name).collect();
    assert_eq!(names, index_cards.iter().map(name).collect::<Vec<_>>());
    names.join(" ")
}

/// Creates a card of a project.
async fn card(caller: &Caller, project: &str, body: Value) -> Answer {
    caller.post(&format!("/api/v2/projects/{project}/cards")).json(body).await.expect(201)
}

#[tokio::test]
async fn cards_of_all_projects_of_the_caller_are_found_last_changed_first() {
    let project = Project::open().await;
    let axle = create_project(&project.caller, "Axle").await;
    let first = project.card("gear-1").await;
    card(&project.caller, &axle, json!({ "name": "gear-2" })).await;
    card(&project.caller, &axle, json!({ "name": "rim", "description": "Beside the Gear." })).await;
    card(&project.caller, &axle, json!({ "name": "hub" })).await;
    project.patch(&first.path(), json!({ "isOpen": false })).await.expect(200);
    assert_eq!(found(&project.caller, "q=GEAR").await, "gear-1 rim gear-2");
    assert_eq!(found(&project.caller, "q=gear&open=true").await, "rim gear-2");
    assert_eq!(found(&project.caller, "q=gear&open=false").await, "gear-1");
    // Without a trigram.
    assert_eq!(found(&project.caller, "q=ub").await, "hub");
    assert_eq!(found(&project.caller, "q=h").await, "hub rim");
    assert_eq!(found(&project.caller, "q=%25").await, "");
    let page = search(&project.caller, "q=gear&limit=2").await.expect(200);
    assert_eq!(page.json()["meta"]["hasMore"], true);
    let cursor = page.text("/meta/nextCursor");
    assert_eq!(found(&project.caller, &format!("q=gear&limit=2&cursor={cursor}")).await, "gear-2");
    let other = search(&project.caller, &format!("q=rim&limit=2&cursor={cursor}")).await;
    assert_eq!(other.to_string(), "400 INVALID_PAGINATION");
    for (query, refusal) in [
        ("q=%00", "400 INVALID_REQUEST query.q format"),
        ("tag=x", "400 INVALID_REQUEST query.tag"),
        ("assignee=you", "400 INVALID_REQUEST query.assignee[0] format"),
        ("updatedSince=today", "400 INVALID_REQUEST query.updatedSince format"),
    ] {
        assert!(search(&project.caller, query).await.to_string().starts_with(refusal), "{query}");
    }
}

#[tokio::test]
async fn nobody_finds_cards_that_they_may_not_read() {
    let gear = Project::open().await;
    let operator = gear.deployment.operator();
    gear.card("gear-own").await;
    let (bob, reader) = gear.member("bob", "viewer").await;
    let stranger = operator.user("carol").await;
    let org = operator.organization("works", &stranger).await;
    let [carol, guest] = [&stranger, &bob].map(|user| user.key(MANAGE_WITH_CARDS));
    let (carol, guest) = (carol.await, guest.await);
    operator.add_member(&bob, "--org", &org, "guest").await;
    let create = |name: &str, visibility: &str| {
        let body = json!({ "name": name, "orgId": org, "visibility": visibility });
        carol.post("/api/v2/projects").json(body).into_future()
    };
    for visibility in ["private", "internal", "public"] {
        let project = create(visibility, visibility).await.expect(201).text("/id");
        card(&carol, &project, json!({ "name": format!("gear-{visibility}") })).await;
    }
    assert_eq!(found(&carol, "q=gear").await, "gear-public gear-internal gear-private");
    assert_eq!(found(&reader, "q=gear").await, "gear-own");
    assert_eq!(found(&guest, "q=gear").await, "gear-own");
    operator.add_member(&bob, "--org", &org, "member").await;
    assert_eq!(found(&reader, "q=gear").await, "gear-public gear-internal gear-own");
    // A confined key finds cards of its projects alone.
    let key = json!({ "name": "bridge", "scopes": ["cards:read"], "projectIds": [gear.id] });
    let browser = bob.browser().await;
    let issued = browser.post("/api/v2/api-keys").json(key).await.expect(201).text("/key");
    let confined = browser.with(&issued);
    assert_eq!(found(&confined, "q=gear").await, "gear-own");
    let without = bob.key(&["projects:read"]).await;
    assert_eq!(search(&without, "q=gear").await.status, 403);
    operator.remove_member(&bob, "--project", &gear.id).await;
    operator.remove_member(&bob, "--org", &org).await;
    assert_eq!(found(&reader, "q=gear").await, "");
}

/// Cards of a project: some with the text, old ones last.
const MANY: &str = "with new as (
        select n, gen_random_uuid() as id, gen_random_uuid() as head, next_card_history_sequence() as sequence,
            date_trunc('milliseconds', now()) - make_interval(secs => n / 3) as at,
            case when n > $plain then 'old tooth' when n % 500 = 0 then 'new tooth' else 'plain' end as name
        from generate_series(1, $count) n
    ),
    cards as (
        insert into cards (id, project_id, name, description, resolution, effort, is_open, created_by, created_at,
            updated_at, history_head_id, history_head_sequence)
        select id, '$project', name, '', '', 0, true, '$user', at, at, head, sequence from new
    ),
    index_cards as (
        insert into index_cards (card_id, project_id, is_open, search_document)
        select id, '$project', true, name from new
    )
    insert into card_history (card_id, sequence, id, project_id, kind, actor_user_id, changes, occurred_at)
    select id, sequence, head, '$project', 'created', '$user', '{}', at from new";

#[tokio::test]
async fn a_text_of_many_cards_of_others_is_found_among_few_and_many_own_ones() {
    let gear = Project::own().await;
    let other = gear.deployment.operator().user("bob").await;
    let caller = other.key(MANAGE_WITH_CARDS).await;
    let theirs = create_project(&caller, "Theirs").await;
    let client = gear.deployment.database.connect().await;
    let add = async |project: &str, user: &str, (plain, count): (u32, u32)| {
        let many = MANY.replace("$project", project).replace("$user", user);
        let many = many.replace("$plain", &plain.to_string()).replace("$count", &count.to_string());
        client.batch_execute(&many).await.unwrap();
    };
    add(&theirs, &other.id, (0, 3_000)).await;
    gear.card("my tooth").await;
    // Few own cards: all of them are read, and none of the others'.
    assert_eq!(found(&gear.caller, "q=tooth").await, "my tooth");
    assert_eq!(found(&gear.caller, "q=th").await, "my tooth");
    assert_eq!(found(&gear.caller, "q=old").await, "");
    // Many own cards: the newest fill some pages, and all matches the last ones.
    add(&gear.id, &gear.alice.id, (11_700, 12_000)).await;
    for q in ["tooth", "th", "t", "new", "plain"] {
        let rows = client
            .query(
                "select c.id::text from cards c join index_cards i on i.card_id = c.id
                 where strpos(i.search_document, $1) > 0 and c.project_id::text = $2
                 order by c.updated_at desc, c.id desc limit 500",
                &[&q, &gear.id],
            )
            .await
            .unwrap();
        let expected: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        while seen.len() < expected.len() {
            let answer = search(&gear.caller, &format!("q={q}&limit=100{cursor}")).await.expect(200).json();
            let cards = answer["cards"].as_array().unwrap();
            seen.extend(cards.iter().map(|card| card["id"].as_str().unwrap().to_owned()));
            let Some(next) = answer["meta"]["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(seen, expected, "{q}");
    }
}

#[tokio::test]
async fn filters_alone_find_cards_of_all_projects() {
    let project = Project::open().await;
    let axle = create_project(&project.caller, "Axle").await;
    let (urgent, late) = (project.tag("urgent").await, project.tag("late").await);
    let me = project.alice.id.as_str();
    let gear = project.id.as_str();
    card(&project.caller, gear, json!({ "name": "a", "assigneeId": me, "tagIds": [urgent, late] })).await;
    card(&project.caller, &axle, json!({ "name": "b", "assigneeId": me, "deadline": "2030-05-31" })).await;
    let closed =
        card(&project.caller, gear, json!({ "name": "c", "tagIds": [urgent] })).await.text("/card/id");
    project.patch(&format!("cards/{closed}"), json!({ "isOpen": false })).await.expect(200);
    card(&project.caller, &axle, json!({ "name": "d", "deadline": "2030-06-01T00:00:00Z" })).await;
    for (query, names) in [
        (String::new(), "d c b a"),
        ("assignee=me".to_owned(), "b a"),
        (format!("assignee={me}&sort=oldest"), "a b"),
        ("assignee=none".to_owned(), "d c"),
        ("assignee=none&open=true".to_owned(), "d"),
        (format!("tag={urgent}"), "c a"),
        (format!("tag={urgent},{late}"), "a"),
        (format!("tag={late}&assignee=none"), ""),
        // A day is a whole day: b is due on the last of May.
        ("deadlineAfter=2030-05-31&deadlineBefore=2030-06-01".to_owned(), "b"),
        ("deadlineAfter=2030-06-01".to_owned(), "d"),
        ("sort=deadline&limit=2".to_owned(), "b d"),
        ("q=b&assignee=me".to_owned(), "b"),
        ("q=b&assignee=none".to_owned(), ""),
    ] {
        assert_eq!(found(&project.caller, &query).await, names, "{query}");
    }
    for query in ["", "sort=deadline", "sort=newest", "assignee=me"] {
        let (mut names, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = search(&project.caller, &format!("{query}&limit=1{cursor}")).await.expect(200).json();
            let shown = page["cards"].as_array().unwrap().iter();
            names.extend(shown.map(|card| card["name"].as_str().unwrap().to_owned()));
            let Some(next) = page["meta"]["nextCursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(names.join(" "), found(&project.caller, query).await, "{query}");
    }
    let (_, reader) = project.member("bob", "viewer").await;
    assert_eq!(found(&reader, "assignee=me").await, "");
    assert_eq!(found(&reader, "").await, "c a");
}

#[tokio::test]
async fn texts_are_found_as_they_are_typed() {
    let project = Project::open().await;
    for name in ["Größe", "ＡＢＣ-ｷﾞ", "20 m²", "d’Alembert", "İstanbul"] {
        project.card(name).await;
    }
    for (query, name) in [
        ("GROẞE", "Größe"),
        ("grosse", "Größe"),
        ("abc", "ＡＢＣ-ｷﾞ"),
        ("ギ", "ＡＢＣ-ｷﾞ"),
        ("m2", "20 m²"),
        ("D'alembert", "d’Alembert"),
        ("istanbul", "İstanbul"),
    ] {
        let query = format!("q={}", encoded(query));
        assert_eq!(found(&project.caller, &query).await, name, "{query}");
    }
}

#[tokio::test]
async fn texts_of_the_service_before_are_folded_again() {
    let faster = Options { environment: vec![("maintenance_secs", "1".to_owned())], ..Options::default() };
    let project = Project::on(Deployment::with(faster).await).await;
    project.card("Café").await;
    project.card("plain").await;
    card(&project.caller, &project.id, json!({ "name": "wrapped", "description": "bevel\n  gear" })).await;
    create_project(&project.caller, "Fräse").await;
    let client = project.deployment.database.connect().await;
    client
        .batch_execute(
            "update index_cards set search_document = 'café' where search_document = 'cafe'; \
             update index_cards set search_document = E'wrapped\\x1ebevel\\n  gear' where search_document like 'wr%'; \
             update projects set folded_name = lower(name); \
             update project_refolds set after_project_id = '00000000-0000-0000-0000-000000000000', finished_at = null; \
             update card_refolds set after_card_id = '00000000-0000-0000-0000-000000000000', finished_at = null",
        )
        .await
        .unwrap();
    eventually_async("its text is folded", async || found(&project.caller, "q=cafe").await == "Café").await;
    eventually_async("its line end is", async || found(&project.caller, "q=bevel%20gear").await == "wrapped")
        .await;
    eventually_async("the project's name is", async || {
        project.caller.get("/api/v2/projects?q=frase").await.to_string().contains("Fräse")
    })
    .await;
    let finished = "select count(*) from card_refolds where finished_at is not null";
    eventually_async("all texts are folded", async || project.deployment.database.count(finished).await == 1)
        .await;
}
