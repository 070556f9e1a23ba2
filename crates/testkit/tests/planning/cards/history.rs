//! The feed of a project's history: paging by sequence misses no row, for any order of commits.

use insta::assert_snapshot;
use serde_json::{Value, json};
use tokio_postgres::Client;

use crate::cards::support::Project;
use testkit::caller::Base;

/// The sequences in the feed after `after`, page by page.
async fn follow(project: &Project, after: &mut String, limit: u32) -> Vec<i64> {
    let mut seen = Vec::new();
    loop {
        let page = project.get(&format!("history?after={after}&limit={limit}")).await.expect(200).json();
        let rows = page["history"].as_array().unwrap();
        seen.extend(rows.iter().map(|row| row["sequence"].as_str().unwrap().parse::<i64>().unwrap()));
        *after = page["meta"]["nextAfter"].as_str().unwrap().to_owned();
        if page["meta"]["hasMore"] == json!(false) {
            return seen;
        }
    }
}

/// Writes a row in the way of another writer; returns its sequence.
async fn write(client: &Client, project: &str) -> i64 {
    let statement = "insert into card_history (card_id, id, project_id, kind, actor_user_id, changes, occurred_at) \
                     values (gen_random_uuid(), gen_random_uuid(), $1::text::uuid, 'deleted', gen_random_uuid(), '{}', \
                     now()) returning sequence";
    client.query_one(statement, &[&project]).await.unwrap().get(0)
}

#[tokio::test]
async fn a_row_has_author_action_and_time() {
    let project = Project::own().await;
    let card = project.card("x").await;
    project
        .alice
        .browser()
        .await
        .patch(&project.at(&card.path()))
        .json(json!({ "effort": 1 }))
        .await
        .expect(200);
    let feed = project.get("history").await.expect(200);
    assert_snapshot!(feed, @r#"
    200 {
      "history": [
        {
          "actor": {"keyId":"<id 1>","sessionId":null,"userId":"<id 2>"},
          "cardId": "<id 3>",
          "changes": {"is_open":{"after":true,"before":null},"name":{"after":"x","before":null}},
          "id": "<id 4>",
          "kind": "created",
          "occurredAt": "<time>",
          "projectId": "<id 5>",
          "sequence": "1"
        },
        {
          "actor": {"keyId":null,"sessionId":null,"userId":"<id 2>"},
          "cardId": "<id 3>",
          "changes": {"effort":{"after":1,"before":0}},
          "id": "<id 6>",
          "kind": "updated",
          "occurredAt": "<time>",
          "projectId": "<id 5>",
          "sequence": "2"
        }
      ],
      "meta": {"hasMore":false,"limit":50,"nextAfter":"2"}
    }
    "#);
    let rows = feed.json()["history"].clone();
    assert_eq!(rows[0]["actor"]["userId"], project.alice.id.as_str());
    assert!(rows[0]["actor"]["keyId"].is_string());
    assert_eq!(rows[1]["actor"]["keyId"], Value::Null);
    // The same rows in the card's history.
    assert_eq!(project.get(&card.at("history")).await.json()["history"], rows);
}

#[tokio::test]
async fn the_feed_is_paged_by_sequence() {
    let project = Project::open().await;
    for number in 0..7 {
        project.card(&format!("{number}")).await;
    }
    let mut after = "0".to_owned();
    let seen = follow(&project, &mut after, 3).await;
    assert_eq!(seen.len(), 7);
    assert!(seen.is_sorted());
    assert_eq!(after, seen[6].to_string());
    // The cursor stays at the end.
    assert_eq!(follow(&project, &mut after, 3).await, Vec::<i64>::new());
    assert_eq!(after, seen[6].to_string());
    for query in ["after=x", "after=-1", "after=", "limit=0", "limit=101", "after=99999999999999999999"] {
        assert_eq!(
            project.get(&format!("history?{query}")).await.to_string(),
            "400 INVALID_PAGINATION",
            "{query}"
        );
    }
    assert_snapshot!(project.get("history?upTo=1").await, @"400 INVALID_REQUEST query.upTo unknown");
}

#[tokio::test]
async fn a_row_that_commits_late_is_not_missed() {
    let project = Project::own().await;
    project.card("before").await;
    let mut after = "0".to_owned();
    assert_eq!(follow(&project, &mut after, 100).await.len(), 1);

    let client = project.deployment.database.connect().await;
    client.batch_execute("begin").await.unwrap();
    let held = write(&client, &project.id).await;
    // Meanwhile cards are written, and only the feed waits.
    let later = project.card("later").await;
    assert!(follow(&project, &mut after, 100).await.is_empty());
    client.batch_execute("commit").await.unwrap();
    let seen = follow(&project, &mut after, 100).await;
    assert_eq!((seen.len(), seen[0]), (2, held));

    // A rollback leaves a gap.
    client.batch_execute("begin").await.unwrap();
    write(&client, &project.id).await;
    project.delete(&later.path()).await.expect(200);
    assert!(follow(&project, &mut after, 100).await.is_empty());
    client.batch_execute("rollback").await.unwrap();
    assert_eq!(follow(&project, &mut after, 100).await.len(), 1);
}

#[tokio::test]
async fn an_older_transaction_with_a_later_sequence_does_not_hide_a_younger_one() {
    let project = Project::own().await;
    let (older, younger) =
        (project.deployment.database.connect().await, project.deployment.database.connect().await);
    older.batch_execute("begin; select pg_current_xact_id()").await.unwrap();
    younger.batch_execute("begin").await.unwrap();
    let first = write(&younger, &project.id).await;
    let second = write(&older, &project.id).await;
    assert!(first < second);
    older.batch_execute("commit").await.unwrap();
    let mut after = "0".to_owned();
    assert!(follow(&project, &mut after, 100).await.is_empty());
    younger.batch_execute("commit").await.unwrap();
    assert_eq!(follow(&project, &mut after, 100).await, [first, second]);
}

#[tokio::test]
async fn a_transaction_without_history_does_not_delay_the_feed() {
    let project = Project::own().await;
    let client = project.deployment.database.connect().await;
    client.batch_execute("begin; select pg_current_xact_id()").await.unwrap();
    project.card("x").await;
    assert_eq!(follow(&project, &mut "0".to_owned(), 100).await.len(), 1);
    client.batch_execute("rollback").await.unwrap();
}

#[tokio::test]
async fn a_reader_during_writes_sees_every_row_once_and_in_order() {
    let project = Project::own().await;
    let writers = (0..8).map(|writer| {
        let (caller, path) = (project.caller.clone(), project.at("cards"));
        tokio::spawn(async move {
            for number in 0..12 {
                caller.post(&path).json(json!({ "name": format!("{writer} {number}") })).await.expect(201);
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let (mut after, mut seen) = ("0".to_owned(), Vec::new());
    while !writers.iter().all(tokio::task::JoinHandle::is_finished) {
        seen.extend(follow(&project, &mut after, 7).await);
    }
    for writer in writers {
        writer.await.unwrap();
    }
    seen.extend(follow(&project, &mut after, 100).await);
    assert!(seen.is_sorted());
    let client = project.deployment.database.connect().await;
    let all = client.query("select sequence from card_history order by sequence", &[]).await.unwrap();
    assert_eq!(seen, all.iter().map(|row| row.get::<_, i64>(0)).collect::<Vec<_>>());
    assert_eq!(seen.len(), 96);
}

#[tokio::test]
async fn histories_are_read_backwards_from_the_newest_row() {
    let project = Project::open().await;
    let card = project.card("x").await;
    for effort in 1..=4 {
        project.patch(&card.path(), json!({ "effort": effort })).await.expect(200);
    }
    project.deployment.database.wait_for_feeds().await;
    for path in [card.at("history"), "history".to_owned()] {
        let (mut efforts, mut before, mut newest) = (Vec::new(), String::new(), None);
        loop {
            let page = project.get(&format!("{path}?sort=newest&limit=2{before}")).await.expect(200).json();
            let rows = page["history"].as_array().unwrap();
            efforts.extend(
                rows.iter().map(|row| row["changes"]["effort"]["after"].as_i64().unwrap_or_default()),
            );
            newest = newest.or(page["meta"]["nextAfter"].as_str().map(str::to_owned));
            assert!(rows.iter().map(|row| row["sequence"].as_str()).is_sorted_by(|one, next| one > next));
            before = format!("&before={}", page["meta"]["nextBefore"].as_str().unwrap());
            if page["meta"]["hasMore"] == json!(false) {
                break;
            }
        }
        assert_eq!(efforts, [4, 3, 2, 1, 0], "{path}");
        // A reader that has read backwards follows from the newest row.
        let later = project.get(&format!("{path}?after={}", newest.unwrap())).await.expect(200).json();
        assert_eq!(later["history"], json!([]), "{path}");
        for query in ["before=5", "sort=newest&after=5", "sort=newest&before=x"] {
            assert_eq!(project.get(&format!("{path}?{query}")).await.code(), "INVALID_PAGINATION", "{query}");
        }
    }
}
