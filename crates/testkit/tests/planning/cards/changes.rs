//! Changing, closing and reopening cards.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::cards::support::{Card, Project};
use testkit::caller::Base;

#[tokio::test]
async fn a_patch_changes_the_named_fields_and_null_clears() {
    let project = Project::open().await;
    let body = json!({
        "name": "Cut", "description": "d", "resolution": "r", "effort": 3, "deadline": "2027-01-01T00:00:00Z",
    });
    let card = Card::of(&project.post("cards", body).await.expect(201));
    let changed = project.patch(&card.path(), json!({ "effort": 5, "deadline": null })).await.expect(200);
    assert_eq!(changed.json()["card"]["effort"], 5);
    assert_eq!(changed.json()["card"]["deadline"], Value::Null);
    assert_eq!(changed.json()["card"]["description"], "d");
    let cleared = json!({ "description": null, "resolution": null, "effort": null, "name": "Mill" });
    let cleared = project.patch(&card.path(), cleared).await.expect(200).json();
    assert_eq!(cleared["card"]["effort"], 0);
    assert_eq!(cleared["indexCard"]["search_text"], "mill");
    let read = project.get(&card.path()).await.expect(200).json();
    assert_eq!((&read["card"], &read["indexCard"]), (&cleared["card"], &cleared["indexCard"]));

    let history = project.get(&card.at("history")).await.json();
    assert_eq!(
        history["history"][1]["changes"],
        json!({
            "effort": { "before": 3, "after": 5 },
            "deadline": { "before": "2027-01-01T00:00:00.000Z", "after": null },
        })
    );
    assert_snapshot!(
        project.patch(&card.path(), json!({ "name": null })).await,
        @"400 INVALID_REQUEST body.name required"
    );
    assert_snapshot!(project.patch(&card.path(), json!({})).await, @"400 INVALID_REQUEST body minProperties");
    assert_snapshot!(
        project.patch(&card.path(), json!({ "expectedHistoryHeadId": card.head })).await,
        @"400 INVALID_REQUEST body minProperties"
    );
    assert_snapshot!(
        project.patch(&card.path(), json!({ "is_open": false })).await,
        @"400 INVALID_REQUEST body.is_open unknown"
    );
}

#[tokio::test]
async fn closing_and_reopening_keep_the_resolution() {
    let project = Project::open().await;
    let card =
        Card::of(&project.post("cards", json!({ "name": "x", "resolution": "Because." })).await.expect(201));
    let closed =
        project.patch(&card.path(), json!({ "isOpen": false, "effort": 2 })).await.expect(200).json();
    assert_eq!(closed["card"]["is_open"], false);
    assert_eq!(closed["card"]["closed_at"], closed["card"]["updated_at"]);
    assert_eq!(closed["card"]["resolution"], "Because.");
    // Closed already: the time stays.
    let again = project.patch(&card.path(), json!({ "isOpen": false, "effort": 3 })).await.expect(200).json();
    assert_eq!(again["card"]["closed_at"], closed["card"]["closed_at"]);
    let reopened = project.patch(&card.path(), json!({ "isOpen": null })).await.expect(200).json();
    assert_eq!(reopened["card"]["closed_at"], Value::Null);
    assert_eq!(reopened["card"]["resolution"], "Because.");
    assert_eq!(
        project.history(&card.id).await,
        [
            "created is_open,name,resolution",
            "updated effort",
            "closed is_open",
            "updated effort",
            "reopened is_open"
        ]
    );
}

#[tokio::test]
async fn a_change_without_effect_writes_no_history_and_keeps_head_and_time() {
    let project = Project::own().await;
    let created = project.post("cards", json!({ "name": "Cut", "effort": 3 })).await.expect(201);
    let card = Card::of(&created);
    let same = json!({ "name": "  Cut ", "effort": 3, "isOpen": true, "deadline": null, "description": "" });
    let answer = project.patch(&card.path(), same).await.expect(200);
    assert_eq!(answer.json(), created.json());
    assert_eq!(project.deployment.database.count("select count(*) from card_history").await, 1);
}
