//! Columns of a team's board: creation, order, changes and moves.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::json;

use crate::teams::support::{Team, names};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

#[tokio::test]
async fn a_column_is_created_with_defaults_or_with_all_fields_and_changed() {
    let team = Team::open().await;
    assert_snapshot!(team.post("statuses", json!({ "name": " To\tdo " })).await, @r##"
    201 {
      "status": {
        "closeMode": "off",
        "color": "#808080",
        "description": "",
        "id": "<id 1>",
        "name": "To do",
        "position": "a0",
        "status": "active",
        "team_id": "<id 2>",
        "transition_state": "not_started",
        "wip_limit": null,
        "wip_policy": "warn",
        "wip_unit": "count"
      }
    }
    "##);
    let whole = json!({
        "name": "Done", "description": "d", "color": "#00ff00", "status": "fading", "transitionState": "closed",
        "closeMode": "automatic", "wipLimit": 3, "wipPolicy": "block", "wipUnit": "effort",
    });
    let created = team.post("statuses", whole).await;
    assert_snapshot!(created, @r##"
    201 {
      "status": {
        "closeMode": "automatic",
        "color": "#00FF00",
        "description": "d",
        "id": "<id 1>",
        "name": "Done",
        "position": "a1",
        "status": "fading",
        "team_id": "<id 2>",
        "transition_state": "closed",
        "wip_limit": 3,
        "wip_policy": "block",
        "wip_unit": "effort"
      }
    }
    "##);
    let path = format!("statuses/{}", created.text("/status/id"));
    let read = team.get(&path).await.expect(200);
    assert_eq!(read.json(), created.json());
    assert_eq!(team.get(&path).header("if-none-match", read.header("etag")).await.status, 304);
    let change = json!({
        "name": "DONE", "description": null, "color": null, "status": null, "transitionState": "started",
        "closeMode": "manual", "wipLimit": null, "wipPolicy": "warn", "wipUnit": "count",
    });
    assert_snapshot!(team.patch(&path, change).await, @r##"
    200 {
      "status": {
        "closeMode": "manual",
        "color": "#808080",
        "description": "",
        "id": "<id 1>",
        "name": "DONE",
        "position": "a1",
        "status": "active",
        "team_id": "<id 2>",
        "transition_state": "started",
        "wip_limit": null,
        "wip_policy": "warn",
        "wip_unit": "count"
      }
    }
    "##);
    let cleared = json!({ "transitionState": null, "closeMode": null, "wipPolicy": null, "wipUnit": null });
    let cleared = team.patch(&path, cleared).await.expect(200).json();
    let status = &cleared["status"];
    assert_eq!((&status["transition_state"], &status["closeMode"]), (&json!("not_started"), &json!("off")));
    assert_eq!((&status["wip_policy"], &status["wip_unit"]), (&json!("warn"), &json!("count")));
    for (body, refusal) in [
        (json!({}), "body minProperties"),
        (json!({ "name": null }), "body.name required"),
        (json!({ "wipLimit": 0 }), "body.wipLimit minimum"),
        (json!({ "color": "green" }), "body.color pattern"),
        (json!({ "closeMode": "on" }), "body.closeMode enum"),
        (json!({ "transition_state": "closed" }), "body.transition_state unknown"),
    ] {
        assert_eq!(team.patch(&path, body).await.issues(), [refusal]);
    }
}

#[tokio::test]
async fn columns_are_placed_between_their_neighbours() {
    let team = Team::open().await;
    let (a, c) = (team.status("a").await, team.status("c").await);
    let create = |name: &str, after: Option<&String>, before: Option<&String>| {
        let mut body = json!({ "name": name });
        body["afterStatusId"] = json!(after);
        body["beforeStatusId"] = json!(before);
        team.post("statuses", body).into_future()
    };
    create("b", Some(&a), Some(&c)).await.expect(201);
    create("a-", None, Some(&a)).await.expect(201);
    create("a+", Some(&a), None).await.expect(201);
    assert_eq!(team.columns().await, "a- a a+ b c");
    // The refusal shows the order as it is.
    let listed = team.get("statuses").await.json();
    let ids: Vec<&str> =
        listed["statuses"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    for (after, before) in [(&a, &c), (&c, &a), (&a, &a)] {
        let refused = create("x", Some(after), Some(before)).await.expect(409);
        assert_eq!(refused.code(), "POSITION_CONFLICT");
        assert_eq!(refused.json()["error"]["details"], json!({ "statusIds": ids }));
    }
    let nowhere = ABSENT_ID.to_owned();
    assert_eq!(create("x", Some(&nowhere), None).await.issues(), ["body.afterStatusId exists"]);
    let move_to = |id: &str, body| team.patch(&format!("statuses/{id}"), body).into_future();
    move_to(&c, json!({ "beforeStatusId": a })).await.expect(200);
    assert_eq!(team.columns().await, "a- c a a+ b");
    move_to(&a, json!({ "afterStatusId": c, "name": "a." })).await.expect(200);
    assert_eq!(team.columns().await, "a- c a. a+ b");
    assert_eq!(move_to(&a, json!({ "afterStatusId": a })).await.issues(), ["body.afterStatusId exists"]);
}

#[tokio::test]
async fn a_column_moved_to_its_own_place_keeps_its_position() {
    let team = Team::open().await;
    let (a, b) = (team.status("a").await, team.status("b").await);
    let path = format!("statuses/{b}");
    let before = team.get(&path).await.expect(200).text("/status/position");
    let after = team.patch(&path, json!({ "afterStatusId": a })).await.expect(200);
    assert_eq!(after.text("/status/position"), before);
}

#[tokio::test]
async fn columns_are_renumbered_after_many_moves() {
    let team = Team::own().await;
    let (a, b, c) = (team.status("a").await, team.status("b").await, team.status("c").await);
    let full = format!("a0{}1", "0".repeat(509));
    let statement = format!("update team_statuses set position = '{full}' where id = '{b}'");
    team.deployment.database.connect().await.batch_execute(&statement).await.unwrap();
    team.patch(&format!("statuses/{c}"), json!({ "afterStatusId": a, "beforeStatusId": b }))
        .await
        .expect(200);
    assert_eq!(team.columns().await, "a c b");
}

#[tokio::test]
async fn names_are_unique_in_a_team_regardless_of_case_and_unicode_form() {
    let makers = Team::open().await;
    makers.status("Pru\u{308}fen").await;
    let other = makers.status("other").await;
    for name in ["Pr\u{fc}fen", "PR\u{dc}FEN", " pr\u{fc}fen "] {
        let answer = makers.post("statuses", json!({ "name": name })).await;
        assert_eq!(answer.to_string(), "409 STATUS_NAME_TAKEN", "{name}");
    }
    let rename = makers.patch(&format!("statuses/{other}"), json!({ "name": "PR\u{dc}FEN" })).await;
    assert_eq!(rename.to_string(), "409 STATUS_NAME_TAKEN");
    let long = makers.post("statuses", json!({ "name": "\u{1f600}".repeat(10_000) })).await.expect(201);
    assert_eq!(long.text("/status/name").chars().count(), 255);
    let team = makers.another_team(json!({ "name": "Another" })).await;
    let path = makers.in_org(&format!("teams/{team}/statuses"));
    makers.caller.post(&path).json(json!({ "name": "other" })).await.expect(201);
}

#[tokio::test]
async fn a_repeated_creation_gets_the_first_result() {
    let team = Team::open().await;
    let create = || team.post("statuses", json!({ "name": "To do" })).idempotency_key("k").into_future();
    let (first, second) = (create().await.expect(201), create().await.expect(201));
    assert!(!first.is_replay() && second.is_replay());
    assert_eq!(first.body, second.body);
    assert_eq!(team.columns().await, "To do");
}

#[tokio::test]
async fn fifty_concurrent_creations_and_moves_lose_no_column_and_make_no_equal_positions() {
    let team = Team::open().await;
    let (a, b) = (team.status("a").await, team.status("b").await);
    let creations = (0..50).map(|number| {
        let body = match number % 3 {
            0 => json!({ "name": format!("{number}") }),
            1 => json!({ "name": format!("{number}"), "afterStatusId": a }),
            _ => json!({ "name": format!("{number}"), "beforeStatusId": b }),
        };
        team.post("statuses", body).into_future()
    });
    let moves = (0..10).map(|number| {
        let (moved, other) = if number % 2 == 0 { (&a, &b) } else { (&b, &a) };
        team.patch(&format!("statuses/{moved}"), json!({ "afterStatusId": other })).into_future()
    });
    let (creations, moves) = tokio::join!(join_all(creations), join_all(moves));
    assert!(creations.iter().all(|answer| answer.status == 201));
    assert!(moves.iter().all(|answer| answer.status == 200));
    let listed = team.get("statuses?limit=100").await.expect(200).json();
    let positions: Vec<&str> = listed["statuses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|status| status["position"].as_str().unwrap())
        .collect();
    assert_eq!(positions.iter().collect::<BTreeSet<_>>().len(), 52);
    assert!(positions.is_sorted());
}

#[tokio::test]
async fn columns_and_linked_projects_are_listed_in_pages() {
    let team = Team::open().await;
    for name in ["a", "b", "c"] {
        team.status(name).await;
        team.linked_project(name).await;
    }
    for (list, all) in [("statuses", "a b c"), ("projects", "Gear a b c")] {
        let mut listed = Vec::new();
        let mut path = format!("{list}?limit=1");
        loop {
            let page = team.get(&path).await.expect(200);
            listed.push(names(&page, list));
            match page.json()["meta"]["nextCursor"].as_str() {
                Some(cursor) => path = format!("{list}?limit=1&cursor={cursor}"),
                None => break,
            }
        }
        assert_eq!(listed.join(" "), all);
        assert_eq!(team.get(&format!("{list}?cursor=x")).await.to_string(), "400 INVALID_PAGINATION");
    }
}

#[tokio::test]
async fn a_new_closing_mode_of_a_column_does_not_affect_its_cards() {
    let team = Team::open().await;
    let column = team.status("Done").await;
    let card = team.placed("a", &column).await;
    let closing = json!({ "transitionState": "closed", "closeMode": "automatic" });
    team.patch(&format!("statuses/{column}"), closing).await.expect(200);
    let read = team.read_card(&card).await;
    assert_eq!(read.json()["card"]["is_open"], true);
    assert_eq!(read.text("/historyHeadId"), read.text("/indexCard/history_head_id"));
    let opening = json!({ "transitionState": null, "closeMode": null });
    team.patch(&format!("statuses/{column}"), opening).await.expect(200);
    assert_eq!(team.read_card(&card).await.json(), read.json());
}

#[tokio::test]
async fn a_team_has_at_most_two_hundred_columns() {
    let team = Team::open().await;
    for number in 0..200 {
        team.status(&format!("{number}")).await;
    }
    assert_snapshot!(team.post("statuses", json!({ "name": "one more" })).await, @"400 INVALID_REQUEST body maxItems");
}
