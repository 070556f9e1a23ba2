//! Sprints: creation, changes, start, completion and deletion.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::teams::support::{Team, names};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

#[tokio::test]
async fn a_sprint_is_created_listed_changed_and_read() {
    let team = Team::open().await;
    let body =
        json!({ "name": " One ", "description": "d", "startDate": "2026-11-02", "endDate": "2026-11-15" });
    let created = team.post("sprints", body).await.expect(201);
    assert_snapshot!(created, @r#"
    201 {
      "sprint": {
        "created_at": "<time>",
        "description": "d",
        "end_date": "<time>",
        "id": "<id 1>",
        "name": "One",
        "start_date": "<time>",
        "status": "planned",
        "team_id": "<id 2>"
      }
    }
    "#);
    assert_eq!(created.text("/sprint/start_date"), "2026-11-02T00:00:00.000Z");
    assert_eq!(created.text("/sprint/end_date"), "2026-11-15T23:59:59.999Z");
    team.sprint("Two").await;
    let list = team.get("sprints?limit=1").await.expect(200);
    assert_eq!(names(&list, "sprints"), "Two");
    let next = format!("sprints?limit=1&cursor={}", list.text("/meta/nextCursor"));
    assert_eq!(names(&team.get(&next).await.expect(200), "sprints"), "One");
    assert_eq!(names(&team.get("sprints?status=active").await.expect(200), "sprints"), "");

    let path = format!("sprints/{}", created.text("/sprint/id"));
    let change = json!({ "name": "First", "description": null, "endDate": "2026-11-16T09:00:00+02:00" });
    let changed = team.patch(&path, change).await.expect(200);
    assert_eq!(changed.text("/sprint/end_date"), "2026-11-16T07:00:00.000Z");
    assert_eq!(team.get(&path).await.expect(200).body, changed.body);
    let refused = async |body: Value| team.patch(&path, body).await.to_string();
    assert_snapshot!(refused(json!({})).await, @"400 INVALID_REQUEST body minProperties");
    assert_snapshot!(refused(json!({ "name": null })).await, @"400 INVALID_REQUEST body.name required");
    assert_snapshot!(refused(json!({ "endDate": "2026-11-01" })).await, @"400 INVALID_REQUEST body.endDate notBefore");
    assert_snapshot!(refused(json!({ "endDate": "2027-12-01" })).await, @"400 INVALID_REQUEST body.endDate notAfter");
    assert_snapshot!(
        refused(json!({ "startDate": "2. 11. 2026" })).await,
        @"400 INVALID_REQUEST body.startDate format"
    );
    assert_snapshot!(
        refused(json!({ "startDate": "-0001-01-01" })).await,
        @"400 INVALID_REQUEST body.startDate format"
    );
    assert_snapshot!(refused(json!({ "status": "active" })).await, @"400 INVALID_REQUEST body.status unknown");
}

#[tokio::test]
async fn a_sprint_starts_with_cards_and_dates_and_only_once() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let sprint = team.sprint("One").await;
    let start = async |body: Value| team.post(&format!("sprints/{sprint}/start"), body).await.to_string();
    let dates = json!({ "startDate": "2026-11-02", "endDate": "2026-11-15" });
    assert_snapshot!(start(dates.clone()).await, @"409 SPRINT_EMPTY");
    team.planned("a", 3, &todo, &sprint).await;
    assert_snapshot!(start(json!({})).await, @"400 INVALID_REQUEST body.startDate required, body.endDate required");
    assert_snapshot!(start(json!({ "startDate": "2026-11-02" })).await, @"400 INVALID_REQUEST body.endDate required");
    assert_snapshot!(
        start(json!({ "startDate": "2026-11-16", "endDate": "2026-11-15" })).await,
        @"400 INVALID_REQUEST body.endDate notBefore"
    );
    assert_snapshot!(
        start(json!({ "startDate": "2026-11-15T10:00:00Z", "endDate": "2026-11-15T09:59:59Z" })).await,
        @"400 INVALID_REQUEST body.endDate notBefore"
    );
    assert_snapshot!(
        start(json!({ "startDate": "tomorrow", "endDate": "2026-11-15" })).await,
        @"400 INVALID_REQUEST body.startDate format"
    );
    assert_snapshot!(
        start(json!({ "startDate": "2026-11-02", "endDate": 3 })).await,
        @"400 INVALID_REQUEST body.endDate type"
    );
    // A sprint of one day includes its start and its end.
    let one_day = json!({ "startDate": "2026-11-02", "endDate": "2026-11-02" });
    assert_snapshot!(start(one_day).await, @r#"
    200 {
      "sprint": {
        "created_at": "<time>",
        "description": "",
        "end_date": "<time>",
        "id": "<id 1>",
        "name": "One",
        "start_date": "<time>",
        "status": "active",
        "team_id": "<id 2>"
      }
    }
    "#);
    assert_snapshot!(start(dates).await, @r#"409 SPRINT_NOT_PLANNED {"status":"active"}"#);
    let cleared = team.patch(&format!("sprints/{sprint}"), json!({ "endDate": null })).await;
    assert_snapshot!(cleared, @"400 INVALID_REQUEST body.endDate required");
}

#[tokio::test]
async fn unchanged_dates_may_be_omitted() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let body = json!({ "name": "One", "startDate": "2026-11-02", "endDate": "2026-11-15" });
    let sprint = team.post("sprints", body).await.expect(201).text("/sprint/id");
    team.planned("a", 3, &todo, &sprint).await;
    let started = team.caller.post(&team.at(&format!("sprints/{sprint}/start"))).await.expect(200);
    assert_eq!(started.text("/sprint/status"), "active");
    assert_eq!(started.text("/sprint/start_date"), "2026-11-02T00:00:00.000Z");
}

#[tokio::test]
async fn a_start_beside_another_active_sprint_needs_a_strict_permission() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let (one, two) = (team.sprint("One").await, team.sprint("Two").await);
    team.planned("a", 3, &todo, &one).await;
    team.planned("b", 3, &todo, &two).await;
    team.start(&one).await.expect(200);
    let refused = team.start(&two).await;
    assert_snapshot!(refused, @r#"409 SPRINT_ALREADY_ACTIVE {"activeSprintIds":["<id 1>"]}"#);
    assert_eq!(refused.text("/error/details/activeSprintIds/0"), one);
    let path = format!("sprints/{two}/start");
    let with = async |allow: Value| {
        let body = json!({ "startDate": "2026-11-02", "endDate": "2026-11-15", "allowConcurrent": allow });
        team.post(&path, body).await
    };
    assert_eq!(with(json!(false)).await.code(), "SPRINT_ALREADY_ACTIVE");
    assert_eq!(with(json!(null)).await.code(), "SPRINT_ALREADY_ACTIVE");
    assert_snapshot!(with(json!("true")).await, @"400 INVALID_REQUEST body.allowConcurrent type");
    assert_snapshot!(with(json!(1)).await, @"400 INVALID_REQUEST body.allowConcurrent type");
    with(json!(true)).await.expect(200);
    assert_eq!(names(&team.get("sprints?status=active").await, "sprints"), "Two One");
}

// X18
#[tokio::test]
async fn of_eight_concurrent_starts_one_succeeds_or_all_if_parallel_sprints_are_allowed() {
    let team = Team::own().await;
    let todo = team.status("To do").await;
    let mut sprints = Vec::new();
    for number in 0..8 {
        let sprint = team.sprint(&format!("{number}")).await;
        team.planned("x", 1, &todo, &sprint).await;
        sprints.push(sprint);
    }
    let answers = join_all(sprints.iter().map(|sprint| team.start(sprint).into_future())).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(200), count(409)), (1, 7));
    let active = "select count(*) from sprints where status = 'active'";
    assert_eq!(team.deployment.database.count(active).await, 1);

    let body = json!({ "startDate": "2026-11-02", "endDate": "2026-11-15", "allowConcurrent": true });
    let starts = sprints
        .iter()
        .map(|sprint| team.post(&format!("sprints/{sprint}/start"), body.clone()).into_future());
    let answers = join_all(starts).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(200), count(409)), (7, 1));
    assert_eq!(team.deployment.database.count(active).await, 8);
}

#[tokio::test]
async fn completion_carries_unfinished_cards_to_the_chosen_place() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let done = team.column(json!({ "name": "Done", "transitionState": "closed" })).await;
    let next = team.sprint("Next").await;
    let mut table = String::new();
    for to in ["backlog", "keep", next.as_str()] {
        let sprint = team.sprint("x").await;
        let open = team.planned("open", 3, &todo, &sprint).await;
        let finished = team.planned("done", 5, &done, &sprint).await;
        assert_eq!(team.complete(&sprint, to).await.code(), "SPRINT_NOT_ACTIVE");
        team.start(&sprint).await.expect(200);
        let completed = team.complete(&sprint, to).await.expect(200).json();
        assert_eq!(completed["sprint"]["status"], "completed");
        let sprint_of = async |card: &str| {
            let index = team.read_card(card).await.json()["indexCard"].clone();
            match index["sprint_ids"].as_array().unwrap().first().and_then(Value::as_str) {
                Some(id) if id == sprint => "stays",
                Some(id) if id == next => "goes to the next",
                Some(_) => "is elsewhere",
                None => "goes to the backlog",
            }
        };
        table.push_str(&format!(
            "{}: {} moved; the open one {}, {}; the done one {}\n",
            if to == next { "another" } else { to },
            completed["movedCards"],
            sprint_of(&open).await,
            team.kinds(&open).await,
            sprint_of(&finished).await,
        ));
        assert_eq!(team.complete(&sprint, to).await.code(), "SPRINT_NOT_ACTIVE");
        // A completed sprint is final and accepts no cards.
        let path = format!("sprints/{sprint}");
        assert_eq!(team.patch(&path, json!({ "name": "y" })).await.code(), "SPRINT_NOT_ACTIVE");
        assert_eq!(team.delete(&path).await.code(), "SPRINT_NOT_PLANNED");
        let card = team.card("late").await;
        let late = team.place(&card, json!({ "sprintId": sprint })).await;
        assert_eq!(late.code(), "SPRINT_NOT_ACTIVE");
        // Kept cards can still be moved within the board and off it.
        team.place(&finished, json!({ "statusId": todo, "sprintId": sprint })).await.expect(200);
        team.place(&finished, json!({ "sprintId": null })).await.expect(200);
    }
    assert_snapshot!(table, @"
    backlog: 1 moved; the open one goes to the backlog, created placed moved; the done one stays
    keep: 0 moved; the open one stays, created placed; the done one stays
    another: 1 moved; the open one goes to the next, created placed moved; the done one stays
    ");
}

#[tokio::test]
async fn completion_needs_another_open_sprint_of_the_team() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let over = team.sprint("Over").await;
    team.planned("a", 1, &todo, &over).await;
    team.start(&over).await.expect(200);
    team.complete(&over, "keep").await.expect(200);
    let sprint = team.sprint("One").await;
    team.planned("b", 1, &todo, &sprint).await;
    team.start(&sprint).await.expect(200);
    let complete = async |to: &str| team.complete(&sprint, to).await.to_string();
    assert_snapshot!(complete("nowhere").await, @"400 INVALID_REQUEST body.incompleteCardsTo format");
    assert_snapshot!(complete(&sprint).await, @"400 INVALID_REQUEST body.incompleteCardsTo exists");
    assert_snapshot!(complete(ABSENT_ID).await, @"400 INVALID_REQUEST body.incompleteCardsTo exists");
    assert_snapshot!(complete(&over).await, @r#"409 SPRINT_NOT_ACTIVE {"sprintId":"<id 1>","status":"completed"}"#);
    team.caller.post(&team.at(&format!("sprints/{sprint}/complete"))).await.expect(200);
}

#[tokio::test]
async fn moving_cards_out_of_a_sprint_needs_the_permission_to_write_them() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let sprint = team.sprint("One").await;
    team.planned("a", 1, &todo, &sprint).await;
    let (bob, by_bob) = team.member("bob", "member").await;
    team.deployment.operator().add_member(&bob, "--team", &team.id, "member").await;
    team.deployment.operator().add_member(&bob, "--project", &team.project, "viewer").await;
    let path = team.at(&format!("sprints/{sprint}"));
    assert_snapshot!(by_bob.delete(&path).await, @"403 FORBIDDEN");
    team.start(&sprint).await.expect(200);
    let complete = format!("{path}/complete");
    assert_snapshot!(by_bob.post(&complete).await, @"403 FORBIDDEN");
    let only_teams = team.alice.key(&["teams:write"]).await;
    assert_snapshot!(only_teams.post(&complete).await, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
    only_teams.post(&complete).json(json!({ "incompleteCardsTo": "keep" })).await.expect(200);
}

#[tokio::test]
async fn a_planned_sprint_is_deleted_and_its_cards_go_to_the_backlog() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let sprint = team.sprint("One").await;
    let other = team.linked_project("Box").await;
    let card = team.planned("a", 1, &todo, &sprint).await;
    let foreign = team.card_of(&other, json!({ "name": "b" })).await;
    team.place(&foreign, json!({ "sprintId": sprint })).await.expect(200);
    let path = format!("sprints/{sprint}");
    assert_snapshot!(
        team.delete(&path).await.expect(200),
        @r#"200 {"deleted":true,"movedCards":2,"sprintId":"<id 1>"}"#
    );
    assert_snapshot!(team.get(&path).await, @"404 NOT_FOUND");
    assert_eq!(team.kinds(&card).await, "created placed moved");
    assert_eq!(team.shown("?sprintId=none").await, "To do: a b");
    let started = team.sprint("Two").await;
    team.place(&card, json!({ "sprintId": started })).await.expect(200);
    team.start(&started).await.expect(200);
    assert_snapshot!(
        team.delete(&format!("sprints/{started}")).await,
        @r#"409 SPRINT_NOT_PLANNED {"status":"active"}"#
    );
    // Without cards the permission isn't needed.
    let only_teams = team.alice.key(&["teams:write"]).await;
    let (empty, full) = (team.sprint("Three").await, team.sprint("Four").await);
    team.place(&foreign, json!({ "sprintId": full })).await.expect(200);
    only_teams.delete(&team.at(&format!("sprints/{empty}"))).await.expect(200);
    let refused = only_teams.delete(&team.at(&format!("sprints/{full}"))).await;
    assert_snapshot!(refused, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
}

#[tokio::test]
async fn the_days_of_sprints_are_those_of_the_teams_time_zone() {
    let makers = Team::open().await;
    let team = makers.get("").await.expect(200);
    assert_eq!(team.json()["team"]["time_zone"], "UTC");
    let changed = makers.patch("", json!({ "timeZone": "asia/tokyo" })).await.expect(200);
    assert_eq!(changed.json()["team"]["time_zone"], "Asia/Tokyo");
    for unknown in ["Tokyo", "", "+09:00"] {
        let refused = makers.patch("", json!({ "timeZone": unknown })).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.timeZone format", "{unknown}");
    }
    let body = json!({ "name": "One", "startDate": "2026-11-02", "endDate": "2026-11-04T12:00:00Z" });
    let made = makers.post("sprints", body).await.expect(201);
    let sprint = made.text("/sprint/id");
    assert_eq!(made.text("/sprint/start_date"), "2026-11-01T15:00:00.000Z");
    assert_eq!(made.text("/sprint/end_date"), "2026-11-04T12:00:00.000Z");
    makers.patch(&format!("sprints/{sprint}"), json!({ "endDate": "2026-11-04" })).await.expect(200);
    let todo = makers.status("To do").await;
    makers.planned("a", 1, &todo, &sprint).await;
    let started = makers.post(&format!("sprints/{sprint}/start"), json!({})).await.expect(200);
    assert_eq!(started.text("/sprint/end_date"), "2026-11-04T14:59:59.999Z");
    let days =
        makers.get(&format!("sprints/{sprint}/report")).await.expect(200).json()["report"]["days"].clone();
    let first: Vec<&str> =
        days.as_array().unwrap().iter().take(2).map(|day| day["day"].as_str().unwrap()).collect();
    assert_eq!(first, ["2026-11-01T15:00:00.000Z", "2026-11-02T15:00:00.000Z"]);
    let cleared = makers.patch("", json!({ "timeZone": null })).await.expect(200);
    assert_eq!(cleared.json()["team"]["time_zone"], "UTC");
    let body = json!({ "name": "Kings", "timeZone": "Europe/Berlin" });
    let made = makers.caller.post(&makers.in_org("teams")).json(body).await.expect(201);
    assert_eq!(made.json()["team"]["time_zone"], "Europe/Berlin");
}

#[tokio::test]
async fn an_active_sprint_keeps_its_dates() {
    let team = Team::open().await;
    let (todo, sprint) = (team.status("To do").await, team.sprint("One").await);
    team.planned("a", 1, &todo, &sprint).await;
    team.start(&sprint).await.expect(200);
    for date in ["startDate", "endDate"] {
        let refused = team.patch(&format!("sprints/{sprint}"), json!({ date: null })).await;
        assert_eq!(refused.to_string(), format!("400 INVALID_REQUEST body.{date} required"));
        let message = refused.json()["error"]["details"]["issues"][0]["message"].clone();
        assert_eq!(message, "can't be cleared: the sprint is active");
    }
}
