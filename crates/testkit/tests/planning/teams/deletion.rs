//! Cards after the deletion of their team, column or link.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::teams::support::Team;
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

/// The heads of the linked project's cards, by card.
async fn heads(team: &Team, cards: &[String]) -> BTreeMap<String, String> {
    let mut heads = BTreeMap::new();
    for card in cards {
        heads.insert(card.clone(), team.read_card(card).await.text("/historyHeadId"));
    }
    heads
}

#[tokio::test]
async fn a_deleted_team_leaves_its_cards_with_their_history() {
    let team = Team::own().await;
    let status = team.status("To do").await;
    let mut cards = Vec::new();
    for number in 0..3 {
        cards.push(team.placed(&format!("{number}"), &status).await);
    }
    team.sprint("One").await;
    let other = team.linked_project("Axle").await;
    let far = team.card_of(&other, json!({ "name": "far" })).await;
    team.place(&far, json!({ "statusId": status })).await.expect(200);
    team.card("beside").await;
    let deleted = team.delete("").await.expect(200);
    let answer = deleted.json();
    assert_eq!((&answer["deleted"], &answer["removedPlacements"]), (&json!(true), &json!(4)));
    assert_eq!(answer["historyHeads"].as_object().unwrap().len(), 4);
    for (card, head) in heads(&team, &cards).await {
        assert_eq!(answer["historyHeads"][&card], json!(head));
        assert_eq!(team.kinds(&card).await, "created placed removed");
        let index = team.read_card(&card).await.json()["indexCard"].clone();
        assert_eq!((&index["team_ids"], &index["team_placements"]), (&json!([]), &json!([])));
    }
    team.get("").await.expect(404);
    team.delete("").await.expect(404);
    let left = "select (select count(*) from team_cards) + (select count(*) from team_statuses) \
                + (select count(*) from sprints) + (select count(*) from team_projects) \
                + (select count(*) from team_members)";
    assert_eq!(team.deployment.database.count(left).await, 0);
}

#[tokio::test]
async fn only_a_manager_deletes_an_empty_team() {
    let team = Team::open().await;
    let (bob, caller) = team.member("bob", "member").await;
    team.deployment.operator().add_member(&bob, "--team", &team.id, "member").await;
    assert_snapshot!(caller.delete(&team.at("")).await, @"403 FORBIDDEN");
    team.deployment.operator().add_member(&bob, "--team", &team.id, "manager").await;
    let without_cards = bob.key(&["teams:manage"]).await;
    assert_snapshot!(
        without_cards.delete(&team.at("")).json(json!({ "expectedHistoryHeadIds": {} })).await,
        @r#"200 {"deleted":true,"historyHeads":{},"removedPlacements":0,"teamId":"<id 1>"}"#
    );
}

#[tokio::test]
async fn deleting_a_team_needs_the_permission_to_write_every_card_on_its_board() {
    let team = Team::own().await;
    let operator = team.deployment.operator();
    let status = team.status("To do").await;
    let other = team.linked_project("Axle").await;
    team.placed("near", &status).await;
    let far = team.card_of(&other, json!({ "name": "far" })).await;
    team.place(&far, json!({ "statusId": status })).await.expect(200);
    let (bob, caller) = team.member("bob", "guest").await;
    operator.add_member(&bob, "--team", &team.id, "manager").await;
    operator.add_member(&bob, "--project", &team.project, "editor").await;
    let delete = || caller.delete(&team.at("")).into_future();
    assert_eq!(delete().await.to_string(), "403 FORBIDDEN");
    operator.add_member(&bob, "--project", &other, "viewer").await;
    assert_eq!(delete().await.to_string(), "403 FORBIDDEN");
    operator.add_member(&bob, "--project", &other, "editor").await;
    for scopes in [&["teams:manage"][..], &["teams:manage", "cards:read", "projects:manage"]] {
        let answer = bob.key(scopes).await.delete(&team.at("")).await;
        assert_eq!(answer.to_string(), r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
    }
    assert_eq!(team.deployment.database.count("select count(*) from team_cards").await, 2);
    delete().await.expect(200);
}

#[tokio::test]
async fn expected_heads_must_match_exactly() {
    let team = Team::open().await;
    let status = team.status("To do").await;
    let (one, two) = (team.placed("one", &status).await, team.placed("two", &status).await);
    let beside = team.card("beside").await;
    let cards = [one.clone(), two.clone()];
    let good = json!(heads(&team, &cards).await);
    let delete =
        |heads: &Value| team.delete("").json(json!({ "expectedHistoryHeadIds": heads })).into_future();
    let (mut missing, mut extra, mut stale) = (good.clone(), good.clone(), good.clone());
    missing.as_object_mut().unwrap().remove(&one);
    extra[&beside] = json!(ABSENT_ID);
    stale[&one] = json!(ABSENT_ID);
    stale[&two] = json!(ABSENT_ID);
    let conflicts = async |heads: &Value| {
        let answer = delete(heads).await.expect(409);
        assert_eq!(answer.code(), "CARD_HISTORY_CONFLICT");
        answer.json()["error"]["details"]["conflicts"].clone()
    };
    let conflict = |card: &str, expected: &Value, current: &Value| {
        json!({
            "cardId": card, "expectedHistoryHeadId": expected, "currentHistoryHeadId": current,
        })
    };
    let (null, nowhere) = (Value::Null, json!(ABSENT_ID));
    assert_eq!(conflicts(&missing).await, json!([conflict(&one, &null, &good[&one])]));
    assert_eq!(conflicts(&extra).await, json!([conflict(&beside, &nowhere, &null)]));
    let both = json!([conflict(&one, &nowhere, &good[&one]), conflict(&two, &nowhere, &good[&two])]);
    assert_eq!(conflicts(&stale).await, both);
    assert_eq!(conflicts(&json!({})).await.as_array().unwrap().len(), 2);
    assert_eq!(json!(heads(&team, &cards).await), good);
    for body in
        [json!({ "expectedHistoryHeadIds": [] }), json!({ "expectedHistoryHeadIds": { "x": ABSENT_ID } })]
    {
        assert_eq!(team.delete("").json(body).await.status, 400);
    }
    // A map would keep the last value of a repeated key.
    let head = &good[&one];
    let repeated = format!(r#"{{"expectedHistoryHeadIds":{{"{one}":"{ABSENT_ID}","{one}":{head}}}}}"#);
    let refused = team.delete("").body("application/json", repeated).await;
    assert_eq!(
        refused.to_string(),
        format!("400 INVALID_REQUEST body.expectedHistoryHeadIds.{one} duplicate")
    );
    delete(&good).await.expect(200);
}

#[tokio::test]
async fn unlinking_a_project_removes_only_its_cards_from_the_board() {
    let team = Team::open().await;
    let status = team.status("To do").await;
    let near = team.placed("near", &status).await;
    let other = team.linked_project("Axle").await;
    let far = team.card_of(&other, json!({ "name": "far" })).await;
    team.place(&far, json!({ "statusId": status })).await.expect(200);
    let unlinked = team.delete(&format!("projects/{}", team.project)).await.expect(200).json();
    assert_eq!(unlinked["removedPlacements"], 1);
    assert_eq!(unlinked["historyHeads"], json!(heads(&team, std::slice::from_ref(&near)).await));
    assert_eq!(team.kinds(&near).await, "created placed removed");
    assert_eq!(team.shown("").await, "To do: far");
    assert_snapshot!(team.delete(&format!("projects/{}", team.project)).await, @"404 NOT_FOUND");
    assert_eq!(team.place(&near, json!({})).await.status, 404);
    let (bob, caller) = team.member("bob", "guest").await;
    team.deployment.operator().add_member(&bob, "--team", &team.id, "member").await;
    team.deployment.operator().add_member(&bob, "--project", &other, "viewer").await;
    let link = team.at(&format!("projects/{other}"));
    assert_snapshot!(caller.delete(&link).await, @"403 FORBIDDEN");
    team.deployment.operator().add_member(&bob, "--project", &other, "editor").await;
    let without_cards = bob.key(&["teams:write"]).await.delete(&link).await;
    assert_eq!(without_cards.to_string(), r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
}

#[tokio::test]
async fn cards_of_a_deleted_column_follow_those_of_another_in_order() {
    let team = Team::open().await;
    let (doing, todo) = (team.status("Doing").await, team.status("To do").await);
    for name in ["a", "b"] {
        team.placed(name, &todo).await;
    }
    let (c, d) = (team.placed("c", &doing).await, team.placed("d", &doing).await);
    team.place(&d, json!({ "beforeCardId": c })).await.expect(200);
    let path = format!("statuses/{doing}");
    assert_eq!(team.delete(&path).await.issues(), ["body.moveCardsTo required"]);
    for wrong in [&doing, ABSENT_ID] {
        let refused = team.delete(&format!("{path}?moveCardsTo={wrong}")).await;
        assert_eq!(refused.issues(), ["body.moveCardsTo exists"]);
    }
    let both = team.delete(&format!("{path}?moveCardsTo={todo}")).json(json!({ "moveCardsTo": doing }));
    assert_eq!(both.await.issues(), ["body.moveCardsTo conflict"]);
    let deleted = team.delete(&path).json(json!({ "moveCardsTo": todo })).await.expect(200).json();
    assert_eq!(deleted["movedCards"], 2);
    assert_eq!(deleted["historyHeads"], json!(heads(&team, &[c.clone(), d]).await));
    assert_eq!(team.shown("").await, "To do: a b d c");
    assert_eq!(team.kinds(&c).await, "created placed moved");
    team.delete(&path).await.expect(404);
    let empty = team.status("Empty").await;
    assert_snapshot!(
        team.delete(&format!("statuses/{empty}")).await,
        @r#"200 {"deleted":true,"historyHeads":{},"movedCards":0,"statusId":"<id 1>"}"#
    );
}

#[tokio::test]
async fn cards_of_a_deleted_column_are_closed_and_reopened_like_moved_ones() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let done = json!({ "name": "Done", "transitionState": "closed", "closeMode": "automatic" });
    let done = team.column(done).await;
    let card = team.placed("x", &todo).await;
    team.delete(&format!("statuses/{todo}?moveCardsTo={done}")).await.expect(200);
    assert_eq!(team.kinds(&card).await, "created placed moved closed");
    assert!(team.read_card(&card).await.json()["card"]["closed_at"].is_string());
    let again = team.status("Again").await;
    team.delete(&format!("statuses/{done}?moveCardsTo={again}")).await.expect(200);
    assert_eq!(team.kinds(&card).await, "created placed moved closed moved reopened");
    assert_eq!(team.read_card(&card).await.json()["card"]["closed_at"], Value::Null);
    let full = team.column(json!({ "name": "Full", "wipLimit": 1, "wipPolicy": "block" })).await;
    team.placed("y", &full).await;
    let refused = team.delete(&format!("statuses/{again}?moveCardsTo={full}")).await;
    assert_eq!(refused.code(), "WIP_LIMIT_REACHED");
}

#[tokio::test]
async fn deleting_a_column_needs_the_permission_to_write_its_cards() {
    let team = Team::open().await;
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    team.placed("x", &todo).await;
    let (bob, caller) = team.member("bob", "guest").await;
    team.deployment.operator().add_member(&bob, "--team", &team.id, "member").await;
    let path = team.at(&format!("statuses/{todo}?moveCardsTo={doing}"));
    assert_eq!(caller.delete(&path).await.to_string(), "403 FORBIDDEN");
    team.deployment.operator().add_member(&bob, "--project", &team.project, "editor").await;
    let without_cards = bob.key(&["teams:write", "cards:read"]).await;
    assert_eq!(
        without_cards.delete(&path).await.to_string(),
        r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#
    );
    caller.delete(&path).await.expect(200);
}

#[tokio::test]
async fn renaming_a_column_renames_it_on_its_cards_without_history() {
    let team = Team::open().await;
    let status = team.status("To do").await;
    let card = team.placed("x", &status).await;
    team.patch(&format!("statuses/{status}"), json!({ "name": "Next", "color": "#00FF00" }))
        .await
        .expect(200);
    let shown = team.read_card(&card).await.json()["indexCard"]["team_statuses"][0].clone();
    assert_eq!((&shown["status_name"], &shown["status_color"]), (&json!("Next"), &json!("#00FF00")));
    assert_eq!(team.kinds(&card).await, "created placed");
}

// X19
#[tokio::test]
async fn a_team_a_column_or_a_link_is_deleted_during_placements() {
    let team = Team::own().await;
    for round in 0..4 {
        let (a, b) = (team.status(&format!("a{round}")).await, team.status(&format!("b{round}")).await);
        let mut cards = Vec::new();
        for number in 0..8 {
            let card = team.card(&format!("{number}")).await;
            if number % 2 == 0 {
                team.place(&card, json!({ "statusId": a })).await.expect(200);
            }
            cards.push(card);
        }
        let places = cards.iter().enumerate().map(|(number, card)| match number % 4 {
            0 => team.place(card, json!({ "statusId": b })).into_future(),
            1 => team.place(card, json!({ "statusId": a })).into_future(),
            2 => team.delete(&format!("cards/{card}")).into_future(),
            _ => team.caller.delete(&team.card_path(card)).into_future(),
        });
        // Without a card the sprint doesn't start; it may be deleted before that check.
        let sprint = team.sprint(&format!("{round}")).await;
        let start = team.start(&sprint).into_future();
        let end = match round {
            0 => team.delete(&format!("statuses/{a}?moveCardsTo={b}")).into_future(),
            1 => team.delete(&format!("projects/{}", team.project)).into_future(),
            2 => team.delete(&format!("statuses/{b}?moveCardsTo={a}")).into_future(),
            _ => team.delete("").into_future(),
        };
        let (places, start, end) = tokio::join!(join_all(places), start, end);
        assert!(matches!(start.status, 404 | 409), "{start}");
        end.expect(200);
        assert!(places.iter().all(|place| matches!(place.status, 200 | 400 | 404)), "{round}: {places:?}");
        if round == 1 {
            assert_eq!(team.deployment.database.count("select count(*) from team_cards").await, 0);
            team.put(&format!("projects/{}", team.project)).await.expect(200);
        }
    }
    assert_eq!(team.deployment.database.count("select count(*) from team_cards").await, 0);
}
