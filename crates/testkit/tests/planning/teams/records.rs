//! Teams: creation, reading, lists and changes.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::json;

use crate::teams::support::{Team, names};

#[tokio::test]
async fn a_team_is_created_read_and_changed_and_its_creator_manages_it() {
    let makers = Team::open().await;
    let (_, bob) = makers.member("bob", "member").await;
    let created = bob.post(&makers.in_org("teams")).json(json!({ "name": " Gear \n box " })).await;
    assert_snapshot!(created, @r#"
    201 {
      "team": {
        "created_at": "<time>",
        "description": "",
        "id": "<id 1>",
        "name": "Gear box",
        "organization_id": "<id 2>",
        "status": "active",
        "time_zone": "UTC",
        "updated_at": "<time>",
        "visibility": "private"
      }
    }
    "#);
    let path = makers.in_org(&format!("teams/{}", created.text("/team/id")));
    let read = bob.get(&path).await.expect(200);
    assert_eq!(read.json(), created.json());
    assert_eq!(bob.get(&path).header("if-none-match", read.header("etag")).await.status, 304);
    let change =
        json!({ "name": "Gears", "description": "d", "status": "on hold", "visibility": "internal" });
    assert_snapshot!(bob.patch(&path).json(change).await, @r#"
    200 {
      "team": {
        "created_at": "<time>",
        "description": "d",
        "id": "<id 1>",
        "name": "Gears",
        "organization_id": "<id 2>",
        "status": "on hold",
        "time_zone": "UTC",
        "updated_at": "<time>",
        "visibility": "internal"
      }
    }
    "#);
    assert_snapshot!(bob.patch(&path).json(json!({ "description": null, "status": null })).await, @r#"
    200 {
      "team": {
        "created_at": "<time>",
        "description": "",
        "id": "<id 1>",
        "name": "Gears",
        "organization_id": "<id 2>",
        "status": "active",
        "time_zone": "UTC",
        "updated_at": "<time>",
        "visibility": "internal"
      }
    }
    "#);
    for (body, refusal) in [
        (json!({}), "400 INVALID_REQUEST body minProperties"),
        (json!({ "name": null }), "400 INVALID_REQUEST body.name required"),
        (json!({ "name": "\u{7}" }), "400 INVALID_REQUEST body.name format"),
        (json!({ "visibility": "public" }), "400 INVALID_REQUEST body.visibility enum"),
        (json!({ "organization_id": makers.org }), "400 INVALID_REQUEST body.organization_id unknown"),
    ] {
        assert_eq!(bob.patch(&path).json(body).await.to_string(), refusal);
    }
}

#[tokio::test]
async fn names_are_sanitized_cut_and_unicode_normalised() {
    let team = Team::open().await;
    let create =
        |name: &str| team.caller.post(&team.in_org("teams")).json(json!({ "name": name })).into_future();
    assert_eq!(create("a\u{0}\u{202e}b").await.text("/team/name"), "ab");
    let long = create(&"\u{1f600}".repeat(10_000)).await.expect(201).text("/team/name");
    assert_eq!(long.chars().count(), 255);
    create("Pru\u{308}fen").await.expect(201);
    for same in ["Pr\u{fc}fen", "PR\u{dc}FEN", " pru\u{308}fen "] {
        assert_eq!(create(same).await.to_string(), "409 TEAM_NAME_TAKEN", "{same}");
    }
    assert_eq!(create(" \t ").await.issues(), ["body.name format"]);
}

#[tokio::test]
async fn a_list_has_the_visible_teams_in_pages() {
    let team = Team::open().await;
    let (_, bob) = team.member("bob", "member").await;
    let (guest, visitor) = team.member("guest", "guest").await;
    team.another_team(json!({ "name": "Open", "visibility": "internal", "status": "archived" })).await;
    let shared = team.another_team(json!({ "name": "Shared" })).await;
    team.deployment.operator().add_member(&guest, "--team", &shared, "member").await;
    bob.post(&team.in_org("teams")).json(json!({ "name": "Stra\u{df}e" })).await.expect(201);
    let path = team.in_org("teams");
    for (caller, query, expected) in [
        (&team.caller, "", "Stra\u{df}e Shared Open Wheels"),
        (&bob, "", "Stra\u{df}e Open"),
        (&visitor, "", "Shared"),
        (&team.caller, "?q=STRASS", "Stra\u{df}e"),
        (&team.caller, "?q=%25", ""),
        (&team.caller, "?status=archived", "Open"),
    ] {
        assert_eq!(
            names(&caller.get(&format!("{path}{query}")).await.expect(200), "teams"),
            expected,
            "{query}"
        );
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    for _ in 0..4 {
        let page = team.caller.get(&format!("{path}?limit=1{cursor}")).await.expect(200);
        seen.push(names(&page, "teams"));
        let next = page.json()["meta"]["nextCursor"].as_str().map(|next| format!("&cursor={next}"));
        assert_eq!(page.json()["meta"]["hasMore"], next.is_some());
        cursor = next.unwrap_or_default();
    }
    assert_eq!((seen.join(" ").as_str(), cursor.as_str()), ("Stra\u{df}e Shared Open Wheels", ""));
    let page = team.caller.get(&format!("{path}?limit=1")).await.expect(200);
    let foreign = format!("{path}?q=o&cursor={}", page.text("/meta/nextCursor"));
    assert_snapshot!(team.caller.get(&foreign).await, @"400 INVALID_PAGINATION");
}

#[tokio::test]
async fn a_name_is_unique_among_visible_teams_only() {
    let makers = Team::open().await;
    let (_, bob) = makers.member("bob", "member").await;
    let hidden = makers.another_team(json!({ "name": "Secret" })).await;
    makers.another_team(json!({ "name": "Open", "visibility": "internal" })).await;
    let path = makers.in_org("teams");
    // The answer does not reveal a private team of the same name.
    for visibility in ["private", "internal"] {
        let body = json!({ "name": format!("secret {visibility}"), "visibility": visibility });
        let team = bob.post(&path).json(body).await.expect(201).text("/team/id");
        bob.patch(&format!("{path}/{team}")).json(json!({ "name": "SECRET" })).await.expect(200);
        bob.patch(&format!("{path}/{team}")).json(json!({ "name": visibility })).await.expect(200);
    }
    bob.post(&path).json(json!({ "name": "SECRET" })).await.expect(201);
    assert_eq!(bob.post(&path).json(json!({ "name": "open" })).await.to_string(), "409 TEAM_NAME_TAKEN");
    assert_eq!(bob.post(&path).json(json!({ "name": "Secret" })).await.to_string(), "409 TEAM_NAME_TAKEN");
    let rename = makers.caller.patch(&format!("{path}/{hidden}")).json(json!({ "name": "OPEN" }));
    assert_eq!(rename.await.to_string(), "409 TEAM_NAME_TAKEN");
    makers
        .caller
        .patch(&format!("{path}/{hidden}"))
        .json(json!({ "name": "Secret", "status": "x" }))
        .await
        .expect(200);
}

#[tokio::test]
async fn of_concurrent_creations_with_one_name_one_succeeds() {
    let team = Team::open().await;
    for visibility in ["private", "internal"] {
        let body = json!({ "name": visibility, "visibility": visibility });
        let create = || team.caller.post(&team.in_org("teams")).json(body.clone()).into_future();
        let answers = join_all((0..8).map(|_| create())).await;
        let count = |status| answers.iter().filter(|answer| answer.status == status).count();
        assert_eq!((count(201), count(409)), (1, 7), "{visibility}");
    }
}
