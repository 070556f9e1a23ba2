//! How runs end that are not left to themselves: with their session, their process, or by nobody at all; and what is
//! told of their end.

use insta::assert_snapshot;
use serde_json::json;
use testkit::events::EventStream;
use testkit::model_server::Reply;
use testkit::session::Session;
use testkit::workshop::eventually;

use crate::support::{Studio, reaches, said};

/// A session whose model tells at once what it has read.
async fn telling(studio: &Studio) -> Session {
    let path = format!("/api/v2/projects/{}/sessions", studio.shop.project);
    let body = json!({ "model": "claude" });
    let opened = studio.shop.caller.post(&path).json(body).await.expect(201);
    Session { id: opened.text("/sessionId"), ..studio.shop.session.clone() }
}

/// Prompts a session, and waits until its model has begun to speak.
async fn begin(studio: &Studio, session: &Session) {
    let caller = &studio.shop.caller;
    let mut stream = EventStream::open(caller.get(&format!("{}/events", session.path()))).await;
    let prompt = json!({ "prompt": "Tell." });
    caller.post(&format!("{}/prompt", session.path())).json(prompt).await.expect(202);
    stream.next_of("message.delta").await;
}

const CHARGED: &str = "select count(*) from usage_events where prompt_tokens = 200 and micro_credits > 0";

#[tokio::test]
async fn a_session_that_is_closed_keeps_what_its_model_was_saying_and_is_charged_for_it() {
    let studio = Studio::open(vec![Reply::Hang("Once upon a")]).await;
    let session = telling(&studio).await;
    begin(&studio, &session).await;
    session.close().await.expect(200);
    assert_eq!(said(&studio.shop.caller, &session).await, ["user: Tell.", "assistant: Once upon a"]);
    assert_eq!(studio.shop.api.database.count(CHARGED).await, 1);
}

#[tokio::test]
async fn a_process_that_stops_leaves_its_runs_paused_with_what_was_said_and_charged() {
    let mut studio = Studio::open(vec![Reply::Hang("Once upon a")]).await;
    let session = telling(&studio).await;
    begin(&studio, &session).await;
    studio.shop.api.control[0].ask_to_end();
    assert_eq!(studio.shop.api.control[0].wait_for_end(), Some(0));
    let paused = "select count(*) from session_runs where status = 'paused' and ended_at is not null";
    assert_eq!(studio.shop.api.database.count(paused).await, 1);
    assert_eq!(studio.shop.api.database.count(CHARGED).await, 1);
    studio.shop.api.control[0].restart();
    assert_eq!(said(&studio.shop.caller, &session).await, ["user: Tell.", "assistant: Once upon a"]);
}

#[tokio::test]
async fn a_run_that_nobody_works_on_fails_though_its_process_lives_and_works_on_another() {
    let studio = Studio::open(vec![Reply::Hang("Once upon a")]).await;
    studio.prompt("Tell.").await.expect(202);
    eventually("the model is asked", || !studio.server.asked().is_empty()).await;
    let idle = Session::open(&studio.shop.caller, &studio.shop.project).await;
    let client = studio.shop.api.database.connect().await;
    // As one is left by a process that never heard that it was given the run.
    let given = format!(
        "insert into session_runs (id, session_id, status, user_id, model, process_id, lease_until, started_at) \
         select gen_random_uuid(), '{}', 'running', user_id, model, process_id, now(), now() from session_runs",
        idle.id
    );
    client.batch_execute(&given).await.unwrap();
    let failed =
        format!("select count(*) from session_runs where session_id = '{}' and status = 'failed'", idle.id);
    testkit::workshop::eventually_async("it has failed", async || {
        studio.shop.api.database.count(&failed).await == 1
    })
    .await;
    studio.reaches("running").await;
    studio.shop.caller.post(&studio.path("stop")).await.expect(200);
}

#[tokio::test]
async fn the_last_run_is_the_latest_started_regardless_of_clocks() {
    let studio = Studio::open(vec![Reply::Text("Good."), Reply::Status(400)]).await;
    studio.prompt("Go.").await.expect(202);
    studio.reaches("completed").await;
    let client = studio.shop.api.database.connect().await;
    // As if the process that began it were ahead of its time.
    client
        .batch_execute(
            "alter table session_messages drop constraint session_messages_run_id_fkey; \
             update session_runs set id = 'ffffffff-ffff-7fff-bfff-ffffffffffff'; \
             update session_messages set run_id = 'ffffffff-ffff-7fff-bfff-ffffffffffff'",
        )
        .await
        .unwrap();
    studio.prompt("Go on.").await.expect(202);
    studio.reaches("failed").await;
    let listed = studio.shop.caller.get(&format!("/api/v2/projects/{}/sessions", studio.shop.project)).await;
    assert_eq!(listed.expect(200).text("/sessions/0/status"), "failed");
}

#[tokio::test]
async fn stopping_an_ended_run_says_how_it_ended() {
    let studio = Studio::open(vec![Reply::Text("Good.")]).await;
    studio.prompt("Go.").await.expect(202);
    studio.reaches("completed").await;
    let stopped = studio.shop.caller.post(&studio.path("stop")).await;
    assert_snapshot!(stopped, @r#"200 {"sessionId":"<id 1>","status":"completed","stopped":false,"taskId":""}"#);
    // The run of another session goes on.
    let other = Session::open(&studio.shop.caller, &studio.shop.project).await;
    reaches(&studio.shop.caller, &other, "idle").await;
}
