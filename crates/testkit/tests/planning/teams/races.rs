//! Concurrent changes of a board.

use std::collections::HashSet;

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use serde_json::json;
use testkit::answer::Answer;
use testkit::caller::Base;

use crate::teams::support::Team;

/// Concurrent requests: more than a process has connections to the database.
const AT_ONCE: usize = 40;

#[tokio::test]
async fn two_hundred_concurrent_moves_into_one_column_lose_no_card_and_no_rank() {
    let team = Team::open().await;
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    let mut cards = Vec::new();
    for number in 0..50 {
        cards.push(team.placed(&format!("{number}"), &todo).await);
    }
    // Each card enters, leaves and enters again: to the end, before and after other moving cards.
    let team = &team;
    let moves = (0..200).map(|number| {
        let card = &cards[(number * 7) % 50];
        let other = &cards[(number * 11 + 3) % 50];
        let body = match number % 4 {
            0 => json!({ "statusId": doing }),
            1 => json!({ "statusId": doing, "afterCardId": other }),
            2 => json!({ "statusId": doing, "beforeCardId": other }),
            _ => json!({ "statusId": todo }),
        };
        async move { if card == other { 200 } else { team.place(card, body).await.status } }
    });
    let statuses: Vec<u16> = stream::iter(moves).buffer_unordered(AT_ONCE).collect().await;
    // A neighbour may have left meanwhile.
    assert!(statuses.iter().all(|status| matches!(status, 200 | 409)), "{statuses:?}");
    let into = cards.iter().map(|card| team.place(card, json!({ "statusId": doing })).into_future());
    let entered: Vec<Answer> = stream::iter(into).buffer_unordered(AT_ONCE).collect().await;
    assert!(entered.iter().all(|answer| answer.status == 200), "{entered:?}");
    let board = team.get("board").await.json();
    let column = board["board"]["columns"][1]["cards"].as_array().unwrap();
    let ranks: HashSet<&str> = column.iter().map(|card| card["rank"].as_str().unwrap()).collect();
    assert_eq!((column.len(), ranks.len()), (50, 50));
}

#[tokio::test]
async fn a_blocking_limit_holds_for_concurrent_entries() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let doing = json!({ "name": "Doing", "wipLimit": 3, "wipPolicy": "block" });
    let doing = team.column(doing).await;
    let mut cards = Vec::new();
    for number in 0..12 {
        cards.push(team.placed(&format!("{number}"), &todo).await);
    }
    let moves = cards.iter().map(|card| team.place(card, json!({ "statusId": doing })).into_future());
    let answers = join_all(moves).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(200), count(409)), (3, 9));
}

#[tokio::test]
async fn a_placement_concurrent_to_the_cards_deletion_precedes_it_or_gets_not_found() {
    let team = Team::own().await;
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    for _ in 0..8 {
        let card = team.card("x").await;
        let moves = [&todo, &doing, &todo]
            .map(|column| team.place(&card, json!({ "statusId": column })).into_future());
        let deletion = team.caller.delete(&team.card_path(&card)).into_future();
        let (moves, deletion) = tokio::join!(join_all(moves), deletion);
        deletion.expect(200);
        assert!(moves.iter().all(|moved| matches!(moved.status, 200 | 404)), "{moves:?}");
    }
    assert_eq!(team.deployment.database.count("select count(*) from team_cards").await, 0);
}

#[tokio::test]
async fn a_sprint_deleted_during_the_unlinking_of_a_project_has_no_cards() {
    let team = Team::own().await;
    let (todo, sprint) = (team.status("To do").await, team.sprint("1").await);
    let card = team.placed("x", &todo).await;
    team.place(&card, json!({ "sprintId": sprint })).await.expect(200);
    let holder = team.deployment.database.connect().await;
    let hold = format!("begin; select from cards where id = '{card}' for update");
    holder.batch_execute(&hold).await.unwrap();
    let unlink = tokio::spawn(team.delete(&format!("projects/{}", team.project)).into_future());
    team.deployment.database.wait_for_blocked(1).await;
    let deletion = tokio::spawn(team.delete(&format!("sprints/{sprint}")).into_future());
    team.deployment.database.wait_for_blocked(2).await;
    holder.batch_execute("commit").await.unwrap();
    unlink.await.unwrap().expect(200);
    assert_eq!(deletion.await.unwrap().expect(200).json()["movedCards"], 0);
}

#[tokio::test]
async fn a_sprint_does_not_start_with_a_card_whose_deletion_is_in_progress() {
    let team = Team::own().await;
    let (todo, sprint) = (team.status("To do").await, team.sprint("1").await);
    let card = team.placed("x", &todo).await;
    team.place(&card, json!({ "sprintId": sprint })).await.expect(200);
    team.caller
        .post(&format!("{}/comments", team.card_path(&card)))
        .json(json!({ "body": "b" }))
        .await
        .expect(201);
    // The deletion has drawn its sequences before it deletes comments.
    let holder = team.deployment.database.connect().await;
    holder.batch_execute("begin; select from card_comments for update").await.unwrap();
    let deletion = tokio::spawn(team.caller.delete(&team.card_path(&card)).into_future());
    team.deployment.database.wait_for_blocked(1).await;
    let dates = json!({ "startDate": "2026-01-01", "endDate": "2026-01-14" });
    let start = tokio::spawn(team.post(&format!("sprints/{sprint}/start"), dates).into_future());
    team.deployment.database.wait_for_blocked(2).await;
    holder.batch_execute("commit").await.unwrap();
    deletion.await.unwrap().expect(200);
    assert_eq!(start.await.unwrap().to_string(), "409 SPRINT_EMPTY");
}
