//! The search for cards that a team can add to its board.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::document::parameters;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_TEAMS};

use crate::teams::support::{Team, names};

/// The answer to a caller's search.
async fn search(team: &Team, caller: &Caller, query: &str) -> Answer {
    caller.get(&team.at(&format!("available-cards?{query}"))).await
}

/// The sorted names of the cards that the team's manager finds.
async fn found(team: &Team, query: &str) -> String {
    let answer = search(team, &team.caller, query).await.expect(200);
    let names = names(&answer, "cards");
    let mut names: Vec<&str> = names.split_whitespace().collect();
    assert_eq!(answer.json()["meta"]["total"], names.len(), "{query}");
    names.sort_unstable();
    names.join(" ")
}

fn ids(answer: &Answer) -> Vec<String> {
    let json = answer.json();
    json["cards"].as_array().unwrap().iter().map(|card| card["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_page_has_exactly_the_specified_fields() {
    let makers = Team::open().await;
    assert_snapshot!(makers.get("available-cards").await, @r#"
    200 {
      "cards": [],
      "filterOptions": {"projects":[{"id":"<id 1>","name":"Gear"}]},
      "meta": {"hasMore":false,"limit":50,"nextCursor":null,"total":0},
      "team": {"id":"<id 2>","name":"Wheels"}
    }
    "#);
    let tag = json!({ "name": "urgent", "color": "#FF0000" });
    let tag = makers.caller.post(&format!("/api/v2/projects/{}/card-tags", makers.project)).json(tag).await;
    let tag = tag.expect(201).text("/tag/id");
    makers.card("plain").await;
    let whole = json!({
        "name": "whole", "effort": 3, "deadline": "2027-01-01T00:00:00Z", "tagIds": [tag],
        "assigneeId": makers.alice.id,
    });
    makers.card_of(&makers.project, whole).await;
    assert_snapshot!(makers.get("available-cards").await, @r##"
    200 {
      "cards": [
        {
          "assignees": [{"display_name":"alice","id":"<id 1>"}],
          "author_display_name": "alice",
          "capabilities": {"canDeleteCards":true,"canReadCards":true,"canWriteCards":true},
          "created_at": "<time>",
          "deadline": "<time>",
          "effort": 3,
          "history_head_id": "<id 2>",
          "id": "<id 3>",
          "is_open": true,
          "name": "whole",
          "project_id": "<id 4>",
          "project_name": "Gear",
          "tag_ids": ["<id 5>"],
          "tags": [{"color":"#FF0000","id":"<id 5>","name":"urgent"}],
          "updated_at": "<time>"
        },
        {
          "assignees": [],
          "author_display_name": "alice",
          "capabilities": {"canDeleteCards":true,"canReadCards":true,"canWriteCards":true},
          "created_at": "<time>",
          "deadline": null,
          "effort": 0,
          "history_head_id": "<id 6>",
          "id": "<id 7>",
          "is_open": true,
          "name": "plain",
          "project_id": "<id 4>",
          "project_name": "Gear",
          "tag_ids": [],
          "tags": [],
          "updated_at": "<time>"
        }
      ],
      "filterOptions": {"projects":[{"id":"<id 4>","name":"Gear"}]},
      "meta": {"hasMore":false,"limit":50,"nextCursor":null,"total":2},
      "team": {"id":"<id 8>","name":"Wheels"}
    }
    "##);
}

#[tokio::test]
async fn open_cards_of_linked_projects_outside_of_the_teams_board_are_found() {
    let makers = Team::open().await;
    makers.card_of(&makers.unlinked_project("Axle").await, json!({ "name": "unlinked" })).await;
    makers.card("open").await;
    let closed = makers.card("closed").await;
    let path = format!("/api/v2/projects/{}/cards/{closed}", makers.project);
    makers.caller.patch(&path).json(json!({ "isOpen": false })).await.expect(200);
    let (placed, elsewhere) = (makers.card("placed").await, makers.card("elsewhere").await);
    let axle = makers.linked_project("Axle").await;
    makers.card_of(&axle, json!({ "name": "axle" })).await;
    let placed_axle = makers.card_of(&axle, json!({ "name": "placed-axle" })).await;
    let closed_there = makers.card("closed-there").await;
    let other = makers.another_team(json!({ "name": "Other" })).await;
    makers
        .caller
        .put(&makers.in_org(&format!("teams/{other}/projects/{}", makers.project)))
        .await
        .expect(200);
    let place = async |team: &str, card: &str| {
        let team = makers.in_org(&format!("teams/{team}"));
        let column =
            json!({ "name": format!("for {card}"), "transitionState": "closed", "closeMode": "manual" });
        let column = makers.caller.post(&format!("{team}/statuses")).json(column).await.expect(201);
        let body = json!({ "statusId": column.text("/status/id"), "closeCard": card == closed_there });
        makers.caller.put(&format!("{team}/cards/{card}")).json(body).await.expect(200);
    };
    for card in [&placed, &placed_axle, &closed_there] {
        place(&makers.id, card).await;
    }
    place(&other, &elsewhere).await;
    // Without text, by a word, and by letters: each has another plan.
    let gear = format!("projectIds={}", makers.project);
    for (query, expected) in [
        (String::new(), "axle elsewhere open"),
        (gear.clone(), "elsewhere open"),
        (format!("projectIds={axle}"), "axle"),
        ("q=lse".to_owned(), "elsewhere"),
        ("q=axle".to_owned(), "axle"),
        (format!("q=axle&{gear}"), ""),
        ("q=p".to_owned(), "open"),
        ("q=pl".to_owned(), ""),
        (format!("q=e&{gear}"), "elsewhere open"),
    ] {
        assert_eq!(found(&makers, &query).await, expected, "{query}");
    }
    for card in [&placed, &placed_axle, &closed_there] {
        makers.delete(&format!("cards/{card}")).await.expect(200);
    }
    assert_eq!(found(&makers, "").await, "axle elsewhere open placed placed-axle");
    makers.caller.patch(&path).json(json!({ "isOpen": true })).await.expect(200);
    assert_eq!(found(&makers, "").await, "axle closed elsewhere open placed placed-axle");
    assert_eq!(found(&makers, "q=close").await, "closed");
}

#[tokio::test]
async fn a_caller_finds_cards_that_role_and_credential_allow_to_write() {
    let team = Team::open().await;
    let operator = team.deployment.operator();
    let (bob, caller) = team.member("bob", "guest").await;
    operator.add_member(&bob, "--team", &team.id, "member").await;
    for role in ["viewer", "editor", "manager"] {
        let project = team.linked_project(role).await;
        team.card_of(&project, json!({ "name": format!("of-{role}") })).await;
        operator.add_member(&bob, "--project", &project, role).await;
    }
    team.card("hidden").await;
    let answer = search(&team, &caller, "").await.expect(200);
    assert_eq!(names(&answer, "cards"), "of-manager of-editor");
    let json = answer.json();
    let option = |option: &Value| option["name"].as_str().unwrap().to_owned();
    let options: Vec<String> =
        json["filterOptions"]["projects"].as_array().unwrap().iter().map(option).collect();
    assert_eq!(options, ["editor", "manager"]);
    let can_delete = |card: &Value| card["capabilities"]["canDeleteCards"].as_bool().unwrap();
    assert_eq!(json["cards"].as_array().unwrap().iter().map(can_delete).collect::<Vec<_>>(), [true, false]);
    // The credential restricts the role.
    let writer = bob.key(&["teams:read", "cards:write"]).await;
    let json = search(&team, &writer, "").await.expect(200).json();
    assert!(json["cards"].as_array().unwrap().iter().all(|card| !can_delete(card)));
    for scopes in [&["teams:manage", "cards:read", "projects:manage"][..], &["teams:read"]] {
        let reader = bob.key(scopes).await;
        let json = search(&team, &reader, "").await.expect(200).json();
        let empty = (&json["cards"], &json["filterOptions"], &json["meta"]["total"]);
        assert_eq!(empty, (&json!([]), &json!({ "projects": [] }), &json!(0)));
    }
    // Members of the organization may write to internal projects.
    let (carol, insider) = team.member("carol", "member").await;
    operator.add_member(&carol, "--team", &team.id, "member").await;
    assert_eq!(ids(&search(&team, &insider, "").await.expect(200)).len(), 0);
    let path = format!("/api/v2/projects/{}", team.project);
    team.caller.patch(&path).json(json!({ "visibility": "internal" })).await.expect(200);
    assert_eq!(names(&search(&team, &insider, "").await.expect(200), "cards"), "hidden");
}

#[tokio::test]
async fn a_confined_key_finds_only_cards_within_its_confinement() {
    let team = Team::open().await;
    team.card("x").await;
    let to_organization = team.confined("orgIds", &team.org).await;
    assert_eq!(names(&search(&team, &to_organization, "").await.expect(200), "cards"), "x");
    let to_project = team.confined("projectIds", &team.project).await;
    assert_snapshot!(search(&team, &to_project, "").await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_caller_without_access_to_the_team_gets_not_found() {
    let team = Team::open().await;
    team.card("x").await;
    let (_, member) = team.member("member", "member").await;
    let stranger = team.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let absent =
        team.caller.get(&team.in_org(&format!("teams/{ABSENT_ID}/available-cards"))).await.expect(404);
    for caller in [member, stranger] {
        assert_eq!(search(&team, &caller, "").await.expect(404).body, absent.body);
    }
}

#[tokio::test]
async fn a_search_is_literal_and_ignores_case_in_any_script() {
    let team = Team::open().await;
    for (name, description, resolution) in [
        ("100%_done", "", ""),
        ("percent", "Stra\u{df}e", ""),
        ("\u{421}\u{431}\u{43e}\u{440}\u{43a}\u{430}", "", "\u{e9}tal\u{e9}"),
        ("\u{8bbe}\u{8ba1}", "back\\slash \u{1f600}", ""),
    ] {
        let body = json!({ "name": name, "description": description, "resolution": resolution });
        team.card_of(&team.project, body).await;
    }
    let body = json!({ "name": "long", "description": format!("{}needle", "x ".repeat(4_990)) });
    team.card_of(&team.project, body).await;
    for (q, expected) in [
        ("%25", "100%_done"),
        ("_", "100%_done"),
        ("0%25_D", "100%_done"),
        ("1__%25", ""),
        ("STRASSE", "percent"),
        ("%D0%A1%D0%91%D0%9E%D0%A0", "\u{421}\u{431}\u{43e}\u{440}\u{43a}\u{430}"),
        ("E%CC%81TAL", "\u{421}\u{431}\u{43e}\u{440}\u{43a}\u{430}"),
        ("%E8%AE%A1", "\u{8bbe}\u{8ba1}"),
        ("k%5CS", "\u{8bbe}\u{8ba1}"),
        ("%F0%9F%98%80", "\u{8bbe}\u{8ba1}"),
        ("NEEDLE", "long"),
        ("'%20or%20''='", ""),
        ("", "100%_done long percent \u{421}\u{431}\u{43e}\u{440}\u{43a}\u{430} \u{8bbe}\u{8ba1}"),
    ] {
        assert_eq!(found(&team, &format!("q={q}")).await, expected, "{q}");
    }
    search(&team, &team.caller, &format!("q={}", "%C3%A9".repeat(200))).await.expect(200);
    for q in ["x".repeat(201), "%00".to_owned()] {
        assert_eq!(search(&team, &team.caller, &format!("q={q}")).await.code(), "INVALID_REQUEST");
    }
}

#[tokio::test]
async fn each_letter_and_digit_is_counted_separately() {
    let team = Team::open().await;
    let letters: Vec<String> = ('a'..='z').chain('0'..='9').map(String::from).collect();
    let cards = join_all(letters.iter().map(|letter| team.card(letter))).await;
    for letter in &letters {
        assert_eq!(found(&team, &format!("q={}", letter.to_uppercase())).await, *letter);
    }
    team.change(&cards[0], json!({ "name": "zz" })).await.expect(200);
    assert_eq!(found(&team, "q=a").await, "");
    assert_eq!(found(&team, "q=z").await, "z zz");
}

#[tokio::test]
async fn projects_restrict_the_search_and_ineligible_ones_match_nothing() {
    let team = Team::open().await;
    let (gear, axle) = (team.project.clone(), team.linked_project("Axle").await);
    let unlinked = team.unlinked_project("Hub").await;
    for (project, name) in [(&gear, "gear"), (&axle, "axle"), (&unlinked, "hub")] {
        team.card_of(project, json!({ "name": name })).await;
    }
    for (query, expected) in [
        (format!("projectIds={gear}"), "gear"),
        (format!("projectIds={gear},{axle},{gear}"), "axle gear"),
        (format!("projectIds={unlinked},{ABSENT_ID}"), ""),
        (format!("projectIds={unlinked},{axle}"), "axle"),
        (format!("excludeProjectIds={gear}"), "axle"),
        (format!("excludeProjectIds={gear}%2C{axle}"), ""),
        (format!("excludeProjectIds={unlinked},{ABSENT_ID}"), "axle gear"),
        (format!("projectIds={gear}&q=a"), "gear"),
    ] {
        assert_eq!(found(&team, &query).await, expected, "{query}");
        // The eligible projects don't depend on the filter.
        let options = search(&team, &team.caller, &query).await.json()["filterOptions"]["projects"].clone();
        assert_eq!(options, json!([{ "id": axle, "name": "Axle" }, { "id": gear, "name": "Gear" }]));
    }
    let many = |count: usize| vec![ABSENT_ID; count].join(",");
    for name in ["projectIds", "excludeProjectIds"] {
        search(&team, &team.caller, &format!("{name}={}", many(50))).await.expect(200);
    }
    for (query, refusal) in [
        (format!("projectIds={gear}&excludeProjectIds={axle}"), "query.excludeProjectIds conflict"),
        (format!("projectIds={}", many(51)), "query.projectIds maxItems"),
        (format!("excludeProjectIds={}", many(51)), "query.excludeProjectIds maxItems"),
        ("projectIds=x".to_owned(), "query.projectIds[0] format"),
        ("projectIds=".to_owned(), "query.projectIds[0] format"),
        (format!("projectIds={gear},"), "query.projectIds[1] format"),
        (format!("projectIds={gear}&projectIds={axle}"), "query.projectIds duplicate"),
        ("project=x".to_owned(), "query.project unknown"),
    ] {
        assert_eq!(search(&team, &team.caller, &query).await.issues(), [refusal], "{query}");
    }
}

/// All pages of the search, with at most `limit` cards each.
async fn pages(team: &Team, query: &str, limit: usize) -> Vec<Answer> {
    let (mut pages, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = search(team, &team.caller, &format!("{query}&limit={limit}{cursor}")).await.expect(200);
        let meta = page.json()["meta"].clone();
        pages.push(page);
        let Some(next) = meta["nextCursor"].as_str() else {
            assert_eq!(meta["hasMore"], false);
            return pages;
        };
        assert_eq!(
            (meta["hasMore"].as_bool(), meta["limit"].as_u64()),
            (Some(true), u64::try_from(limit).ok())
        );
        assert!(next.len() <= 1_024);
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test]
async fn pages_are_ordered_by_latest_change_then_id_without_a_gap() {
    let team = Team::own().await;
    let other = team.linked_project("Axle").await;
    for number in 0..12 {
        let project = if number % 3 == 0 { &other } else { &team.project };
        team.card_of(project, json!({ "name": format!("card {number}") })).await;
    }
    // Many changed within a moment, finer than the precision of answers.
    let statement = "update cards set updated_at = timestamptz '2026-01-01 00:00:00.0005Z' \
                     + (ascii(right(name, 1)) % 3) * interval '100 microseconds'";
    team.deployment.database.connect().await.batch_execute(statement).await.unwrap();
    let rows = team.deployment.database.connect().await;
    let rows = rows.query("select id::text from cards order by updated_at desc, id", &[]).await.unwrap();
    let expected: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    for (query, limit) in [("", 1), ("", 5), ("q=card", 5), ("", 12), ("q=CARD", 100)] {
        let pages = pages(&team, query, limit).await;
        let seen: Vec<String> = pages.iter().flat_map(ids).collect();
        assert_eq!(seen, expected, "{query} {limit}");
        assert!(pages.iter().all(|page| page.json()["meta"]["total"] == 12));
    }
}

#[tokio::test]
async fn new_cards_do_not_move_others_to_another_page() {
    let team = Team::open().await;
    let mut old = BTreeSet::new();
    for number in 0..6 {
        old.insert(team.card(&format!("old {number}")).await);
    }
    let first = search(&team, &team.caller, "limit=3").await.expect(200);
    let create = |number: i32| {
        team.caller
            .post(&format!("/api/v2/projects/{}/cards", team.project))
            .json(json!({ "name": format!("new {number}") }))
            .into_future()
    };
    let created = join_all((0..20).map(create)).await;
    assert!(created.iter().all(|answer| answer.status == 201));
    let rest =
        search(&team, &team.caller, &format!("limit=3&cursor={}", first.text("/meta/nextCursor"))).await;
    let rest = rest.expect(200);
    let seen: Vec<String> = [ids(&first), ids(&rest)].concat();
    assert_eq!(seen.len(), 6);
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>(), old);
    assert_eq!(rest.json()["meta"], json!({ "limit": 3, "total": 26, "hasMore": false, "nextCursor": null }));
}

#[tokio::test]
async fn a_cursor_belongs_to_its_team_and_filter_and_a_limit_is_1_to_100() {
    let team = Team::open().await;
    team.card("a").await;
    team.card("b").await;
    let cursor = search(&team, &team.caller, "limit=1").await.expect(200).text("/meta/nextCursor");
    search(&team, &team.caller, &format!("limit=2&cursor={cursor}")).await.expect(200);
    let project = &team.project;
    let refused = [
        format!("q=a&cursor={cursor}"),
        format!("projectIds={project}&cursor={cursor}"),
        format!("excludeProjectIds={ABSENT_ID}&cursor={cursor}"),
        format!("cursor=x{cursor}"),
        format!("cursor={}", "x".repeat(1_024)),
        format!("cursor={}", "x".repeat(1_025)),
        "cursor=".to_owned(),
        "limit=0".to_owned(),
        "limit=101".to_owned(),
        "limit=ten".to_owned(),
    ];
    for query in refused {
        let answer = search(&team, &team.caller, &query).await;
        assert_eq!(answer.to_string(), "400 INVALID_PAGINATION", "{query}");
    }
    let other = team.another_team(json!({ "name": "Other" })).await;
    let path = team.in_org(&format!("teams/{other}/available-cards?cursor={cursor}"));
    assert_eq!(team.caller.get(&path).await.to_string(), "400 INVALID_PAGINATION");
}

#[tokio::test]
async fn the_document_declares_lists_separated_by_commas() {
    let team = Team::open().await;
    let document = team.deployment.anonymous().get("/api/v2/openapi.json").await.expect(200).json();
    let operation = &document["paths"]["/api/v2/orgs/{orgId}/teams/{teamId}/available-cards"]["get"];
    for name in ["projectIds", "excludeProjectIds"] {
        let parameters = parameters(&document, operation);
        let parameter = parameters.iter().find(|parameter| parameter["name"] == name).unwrap();
        assert_eq!((&parameter["style"], &parameter["explode"]), (&json!("form"), &json!(false)));
        assert_eq!(parameter["schema"]["maxItems"], 50);
    }
}

/// Many cards of two projects: `old` ones with the text, newer ones that sometimes have it, and others.
const MANY: &str = "with new as (
        select n, gen_random_uuid() as id, gen_random_uuid() as head, next_card_history_sequence() as sequence,
            (array['$gear', '$axle']::uuid[])[1 + n % 2] as project_id,
            now() - make_interval(secs => n / 3) as at,
            case when n > 10500 then 'old tooth' when n % 500 = 0 then 'new tooth' when n % 7 = 0 then 'plain rim'
                else 'plain' end as name
        from generate_series(1, 22000) n
    ),
    cards as (
        insert into cards (id, project_id, name, description, resolution, effort, is_open, created_by, created_at,
            updated_at, history_head_id, history_head_sequence)
        select id, project_id, name, '', '', 0, true, '$alice', at, at, head, sequence from new
    ),
    index_cards as (
        insert into index_cards (card_id, project_id, is_open, search_document)
        select id, project_id, true, name from new
    )
    insert into card_history (card_id, sequence, id, project_id, kind, actor_user_id, changes, occurred_at)
    select id, sequence, head, project_id, 'created', '$alice', '{}', at from new";

#[tokio::test]
async fn a_text_of_many_cards_is_paged_like_any_other() {
    let team = Team::own().await;
    let axle = team.linked_project("Axle").await;
    let many = MANY.replace("$gear", &team.project).replace("$axle", &axle).replace("$alice", &team.alice.id);
    team.deployment.database.connect().await.batch_execute(&many).await.unwrap();
    let client = team.deployment.database.connect().await;
    // A word, one letter, two letters, and no word: each has another plan, and the newest cards lack it. Then texts
    // that the newest cards have, rarely enough to need several pages.
    for q in ["tooth", "t", "th", "d t", "plain", "rim"] {
        let rows = client
            .query(
                "select c.id::text from cards c join index_cards i on i.card_id = c.id
                 where strpos(i.search_document, $1) > 0 order by c.updated_at desc, c.id",
                &[&q],
            )
            .await
            .unwrap();
        let expected: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        for _ in 0..4 {
            let query = format!("limit=100&q={}{cursor}", q.replace(' ', "%20"));
            let answer = search(&team, &team.caller, &query).await.expect(200);
            assert_eq!(answer.json()["meta"]["total"], expected.len(), "{q}");
            seen.extend(ids(&answer));
            cursor = format!("&cursor={}", answer.text("/meta/nextCursor"));
        }
        assert_eq!(seen, expected[..400], "{q}");
    }
}
