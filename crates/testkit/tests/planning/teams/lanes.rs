//! Moves of cards between the lanes of a board: the value and the place change together, or neither does.

use serde_json::{Value, json};

use super::support::Team;

#[tokio::test]
async fn a_move_between_lanes_changes_value_and_place_in_one_request_or_nothing() {
    let team = Team::open().await;
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    let full = team.column(json!({ "name": "Full", "wipLimit": 1, "wipPolicy": "block" })).await;
    let project = format!("/api/v2/projects/{}", team.project);
    let risk = json!({ "name": "Risk", "type": "choice", "options": ["low", "high"], "defaultValue": "low",
        "isRequired": true, "isShown": true });
    let made = team.caller.post(&format!("{project}/fields")).json(risk).await.expect(201);
    let [low, high] = [0, 1].map(|at| made.text(&format!("/field/options/{at}/id")));
    let risk = made.text("/field/id");
    let card = team.placed("a", &todo).await;
    team.placed("b", &full).await;
    let step = async |value: &Value, person: &str, status: &str| {
        let placement = json!({ "orgId": team.org, "teamId": team.id, "statusId": status });
        let operations = json!([
            { "op": "update", "cardId": card, "fields": { risk.as_str(): value } },
            { "op": person, "cardId": card, "userId": team.alice.id },
            { "op": "place", "cardId": card, "placement": placement },
        ]);
        let body = json!({ "atomic": true, "operations": operations });
        team.caller.post(&format!("{project}/cards/bulk")).json(body).await
    };
    // The board, the risk of the card, and the number of its assignees.
    let now = async || {
        let read = team.read_card(&card).await.json();
        let people = read["indexCard"]["user_ids"].as_array().unwrap().len();
        (team.shown("").await, read["card"]["fields"][risk.as_str()].clone(), people)
    };
    let before = ("To do: a; Doing:; Full: b".to_owned(), json!(low), 0);
    assert_eq!(now().await, before);

    let refused = step(&json!(high), "assign", &full).await;
    assert_eq!(refused.code(), "WIP_LIMIT_REACHED");
    assert_eq!(now().await, before);
    let refused = step(&Value::Null, "assign", &doing).await.expect(400);
    assert_eq!(refused.issues(), [format!("body.operations[0].fields.{risk} required")]);
    assert_eq!(now().await, before);

    step(&json!(high), "assign", &doing).await.expect(200);
    assert_eq!(now().await, ("To do:; Doing: a; Full: b".to_owned(), json!(high), 1));
    // Undone by the opposite step.
    step(&json!(low), "unassign", &todo).await.expect(200);
    assert_eq!(now().await, before);
}
