//! Cards after the deletion of their team, column or link.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::teams::support::Team;
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

/// The heads of the linked project's cards, by card.
async fn heads(works: &Team, cards: &[String]) -> BTreeMap<String, String> {
    let mut heads = BTreeMap::new();
    for card in cards {
        heads.insert(card.clone(), works.read_card(card).await.text("/historyHeadId"));
    }
    heads
}

#[tokio::test]
async fn a_deleted_team_leaves_its_cards_with_their_history() {
    let works = Team::own().await;
    let status = works.status("To do").await;
    let mut cards = Vec::new();
    for number in 0..3 {
        cards.push(works.placed(&format!("{number}"), &status).await);
    }
    works.sprint("One").await;
    let other = works.linked_project("Axle").await;
    let far = works.card_of(&other, json!({ "name": "far" })).await;
    works.place(&far, json!({ "statusId": status })).await.expect(200);
    works.card("beside").await;
    let deleted = works.delete("").await.expect(200);
    let answer = deleted.json();
    assert_eq!((&answer["deleted"], &answer["removedPlacements"]), (&json!(true), &json!(4)));
    assert_eq!(answer["historyHeads"].as_object().unwrap().len(), 4);
    for (card, head) in heads(&works, &cards).await {
        assert_eq!(answer["historyHeads"][&card], json!(head));
        assert_eq!(works.kinds(&card).await, "created placed removed");
        let index = works.read_card(&card).await.json()["indexCard"].clone();
        assert_eq!((&index["team_ids"], &index["team_placements"]), (&json!([]), &json!([])));
    }
    works.get("").await.expect(404);
    works.delete("").await.expect(404);
    let left = "select (select count(*) from team_cards) + (select count(*) from team_statuses) \
                + (select count(*) from sprints) + (select count(*) from team_projects) \
                + (select count(*) from team_members)";
    assert_eq!(works.deployment.database.count(left).await, 0);
}

#[tokio::test]
async fn only_a_manager_deletes_an_empty_team() {
    let works = Team::open().await;
    let (bob, caller) = works.member("bob", "member").await;
    works.deployment.operator().add_member(&bob, "--team", &works.team, "member").await;
    assert_snapshot!(caller.delete(&works.at("")).await, @"403 FORBIDDEN");
    works.deployment.operator().add_member(&bob, "--team", &works.team, "manager").await;
    let without_cards = bob.key(&["teams:manage"]).await;
    assert_snapshot!(
        without_cards.delete(&works.at("")).json(json!({ "expectedHistoryHeadIds": {} })).await,
        @r#"200 {"deleted":true,"historyHeads":{},"removedPlacements":0,"teamId":"<id 1>"}"#
    );
}

#[tokio::test]
async fn deleting_a_team_needs_the_permission_to_write_every_card_on_its_board() {
    let works = Team::own().await;
    let operator = works.deployment.operator();
    let status = works.status("To do").await;
    let other = works.linked_project("Axle").await;
    works.placed("near", &status).await;
    let far = works.card_of(&other, json!({ "name": "far" })).await;
    works.place(&far, json!({ "statusId": status })).await.expect(200);
    let (bob, caller) = works.member("bob", "guest").await;
    operator.add_member(&bob, "--team", &works.team, "manager").await;
    operator.add_member(&bob, "--project", &works.project, "editor").await;
    let delete = || caller.delete(&works.at("")).into_future();
    assert_eq!(delete().await.to_string(), "403 FORBIDDEN");
    operator.add_member(&bob, "--project", &other, "viewer").await;
    assert_eq!(delete().await.to_string(), "403 FORBIDDEN");
    operator.add_member(&bob, "--project", &other, "editor").await;
    for scopes in [&["teams:manage"][..], &["teams:manage", "cards:read", "projects:manage"]] {
        let answer = bob.key(scopes).await.delete(&works.at("")).await;
        assert_eq!(answer.to_string(), r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
    }
    assert_eq!(works.deployment.database.count("select count(*) from team_cards").await, 2);
    delete().await.expect(200);
}

#[tokio::test]
async fn expected_heads_must_match_exactly() {
    let works = Team::open().await;
    let status = works.status("To do").await;
    let (one, two) = (works.placed("one", &status).await, works.placed("two", &status).await);
    let beside = works.card("beside").await;
    let cards = [one.clone(), two.clone()];
    let good = json!(heads(&works, &cards).await);
    let delete =
        |heads: &Value| works.delete("").json(json!({ "expectedHistoryHeadIds": heads })).into_future();
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
    assert_eq!(json!(heads(&works, &cards).await), good);
    for body in
        [json!({ "expectedHistoryHeadIds": [] }), json!({ "expectedHistoryHeadIds": { "x": ABSENT_ID } })]
    {
        assert_eq!(works.delete("").json(body).await.status, 400);
    }
    // A map would keep the last value of a repeated key.
    let head = &good[&one];
    let repeated = format!(r#"{{"expectedHistoryHeadIds":{{"{one}":"{ABSENT_ID}","{one}":{head}}}}}"#);
    let refused = works.delete("").body("application/json", repeated).await;
    assert_eq!(
        refused.to_string(),
        format!("400 INVALID_REQUEST body.expectedHistoryHeadIds.{one} duplicate")
    );
    delete(&good).await.expect(200);
}

#[tokio::test]
async fn unlinking_a_project_removes_only_its_cards_from_the_board() {
    let works = Team::open().await;
    let status = works.status("To do").await;
    let near = works.placed("near", &status).await;
    let other = works.linked_project("Axle").await;
    let far = works.card_of(&other, json!({ "name": "far" })).await;
    works.place(&far, json!({ "statusId": status })).await.expect(200);
    let unlinked = works.delete(&format!("projects/{}", works.project)).await.expect(200).json();
    assert_eq!(unlinked["removedPlacements"], 1);
    assert_eq!(unlinked["historyHeads"], json!(heads(&works, std::slice::from_ref(&near)).await));
    assert_eq!(works.kinds(&near).await, "created placed removed");
    assert_eq!(works.shown("").await, "To do: far");
    assert_snapshot!(works.delete(&format!("projects/{}", works.project)).await, @"404 NOT_FOUND");
    assert_eq!(works.place(&near, json!({})).await.status, 404);
    let (bob, caller) = works.member("bob", "guest").await;
    works.deployment.operator().add_member(&bob, "--team", &works.team, "member").await;
    works.deployment.operator().add_member(&bob, "--project", &other, "viewer").await;
    let link = works.at(&format!("projects/{other}"));
    assert_snapshot!(caller.delete(&link).await, @"403 FORBIDDEN");
    works.deployment.operator().add_member(&bob, "--project", &other, "editor").await;
    let without_cards = bob.key(&["teams:write"]).await.delete(&link).await;
    assert_eq!(without_cards.to_string(), r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
}

#[tokio::test]
async fn cards_of_a_deleted_column_follow_those_of_another_in_order() {
    let works = Team::open().await;
    let (doing, todo) = (works.status("Doing").await, works.status("To do").await);
    for name in ["a", "b"] {
        works.placed(name, &todo).await;
    }
    let (c, d) = (works.placed("c", &doing).await, works.placed("d", &doing).await);
    works.place(&d, json!({ "beforeCardId": c })).await.expect(200);
    let path = format!("statuses/{doing}");
    assert_eq!(works.delete(&path).await.issues(), ["body.moveCardsTo required"]);
    for wrong in [&doing, ABSENT_ID] {
        let refused = works.delete(&format!("{path}?moveCardsTo={wrong}")).await;
        assert_eq!(refused.issues(), ["body.moveCardsTo exists"]);
    }
    let both = works.delete(&format!("{path}?moveCardsTo={todo}")).json(json!({ "moveCardsTo": doing }));
    assert_eq!(both.await.issues(), ["body.moveCardsTo conflict"]);
    let deleted = works.delete(&path).json(json!({ "moveCardsTo": todo })).await.expect(200).json();
    assert_eq!(deleted["movedCards"], 2);
    assert_eq!(deleted["historyHeads"], json!(heads(&works, &[c.clone(), d]).await));
    assert_eq!(works.shown("").await, "To do: a b d c");
    assert_eq!(works.kinds(&c).await, "created placed moved");
    works.delete(&path).await.expect(404);
    let empty = works.status("Empty").await;
    assert_snapshot!(
        works.delete(&format!("statuses/{empty}")).await,
        @r#"200 {"deleted":true,"historyHeads":{},"movedCards":0,"statusId":"<id 1>"}"#
    );
}

#[tokio::test]
async fn cards_of_a_deleted_column_are_closed_and_reopened_like_moved_ones() {
    let works = Team::open().await;
    let todo = works.status("To do").await;
    let done = json!({ "name": "Done", "transitionState": "closed", "closeMode": "automatic" });
    let done = works.column(done).await;
    let card = works.placed("x", &todo).await;
    works.delete(&format!("statuses/{todo}?moveCardsTo={done}")).await.expect(200);
    assert_eq!(works.kinds(&card).await, "created placed moved closed");
    assert!(works.read_card(&card).await.json()["card"]["closed_at"].is_string());
    let again = works.status("Again").await;
    works.delete(&format!("statuses/{done}?moveCardsTo={again}")).await.expect(200);
    assert_eq!(works.kinds(&card).await, "created placed moved closed moved reopened");
    assert_eq!(works.read_card(&card).await.json()["card"]["closed_at"], Value::Null);
    let full = works.column(json!({ "name": "Full", "wipLimit": 1, "wipPolicy": "block" })).await;
    works.placed("y", &full).await;
    let refused = works.delete(&format!("statuses/{again}?moveCardsTo={full}")).await;
    assert_eq!(refused.code(), "WIP_LIMIT_REACHED");
}

#[tokio::test]
async fn deleting_a_column_needs_the_permission_to_write_its_cards() {
    let works = Team::open().await;
    let (todo, doing) = (works.status("To do").await, works.status("Doing").await);
    works.placed("x", &todo).await;
    let (bob, caller) = works.member("bob", "guest").await;
    works.deployment.operator().add_member(&bob, "--team", &works.team, "member").await;
    let path = works.at(&format!("statuses/{todo}?moveCardsTo={doing}"));
    assert_eq!(caller.delete(&path).await.to_string(), "403 FORBIDDEN");
    works.deployment.operator().add_member(&bob, "--project", &works.project, "editor").await;
    let without_cards = bob.key(&["teams:write", "cards:read"]).await;
    assert_eq!(
        without_cards.delete(&path).await.to_string(),
        r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#
    );
    caller.delete(&path).await.expect(200);
}

#[tokio::test]
async fn renaming_a_column_renames_it_on_its_cards_without_history() {
    let works = Team::open().await;
    let status = works.status("To do").await;
    let card = works.placed("x", &status).await;
    works
        .patch(&format!("statuses/{status}"), json!({ "name": "Next", "color": "#00FF00" }))
        .await
        .expect(200);
    let shown = works.read_card(&card).await.json()["indexCard"]["team_statuses"][0].clone();
    assert_eq!((&shown["status_name"], &shown["status_color"]), (&json!("Next"), &json!("#00FF00")));
    assert_eq!(works.kinds(&card).await, "created placed");
}

// X19
#[tokio::test]
async fn a_team_a_column_or_a_link_is_deleted_during_placements() {
    let works = Team::own().await;
    for round in 0..4 {
        let (a, b) = (works.status(&format!("a{round}")).await, works.status(&format!("b{round}")).await);
        let mut cards = Vec::new();
        for number in 0..8 {
            let card = works.card(&format!("{number}")).await;
            if number % 2 == 0 {
                works.place(&card, json!({ "statusId": a })).await.expect(200);
            }
            cards.push(card);
        }
        let places = cards.iter().enumerate().map(|(number, card)| match number % 4 {
            0 => works.place(card, json!({ "statusId": b })).into_future(),
            1 => works.place(card, json!({ "statusId": a })).into_future(),
            2 => works.delete(&format!("cards/{card}")).into_future(),
            _ => works.caller.delete(&works.card_path(card)).into_future(),
        });
        // Without a card the sprint doesn't start; it may be deleted before that check.
        let sprint = works.sprint(&format!("{round}")).await;
        let start = works.start(&sprint).into_future();
        let end = match round {
            0 => works.delete(&format!("statuses/{a}?moveCardsTo={b}")).into_future(),
            1 => works.delete(&format!("projects/{}", works.project)).into_future(),
            2 => works.delete(&format!("statuses/{b}?moveCardsTo={a}")).into_future(),
            _ => works.delete("").into_future(),
        };
        let (places, start, end) = tokio::join!(join_all(places), start, end);
        assert!(matches!(start.status, 404 | 409), "{start}");
        end.expect(200);
        assert!(places.iter().all(|place| matches!(place.status, 200 | 400 | 404)), "{round}: {places:?}");
        if round == 1 {
            assert_eq!(works.deployment.database.count("select count(*) from team_cards").await, 0);
            works.put(&format!("projects/{}", works.project)).await.expect(200);
        }
    }
    assert_eq!(works.deployment.database.count("select count(*) from team_cards").await, 0);
}
