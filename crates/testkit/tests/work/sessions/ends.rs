//! Ends of runs with their session, with their process, and without a process; and the reported end.

use insta::assert_snapshot;
use serde_json::json;
use testkit::events::EventStream;
use testkit::model_server::Reply;
use testkit::open_session::eventually;
use testkit::session::Session;

use crate::sessions::support::{AgentSession, conversation, reaches};

/// A session whose model answers at once with its input.
async fn telling(agent: &AgentSession) -> Session {
    let path = format!("/api/v2/projects/{}/sessions", agent.opened.project);
    let body = json!({ "model": "claude" });
    let opened = agent.opened.caller.post(&path).json(body).await.expect(201);
    Session { id: opened.text("/sessionId"), ..agent.opened.session.clone() }
}

/// Prompts a session and waits for the first text of its model.
async fn begin(agent: &AgentSession, session: &Session) {
    let caller = &agent.opened.caller;
    let mut stream = EventStream::open(caller.get(&format!("{}/events", session.path()))).await;
    let prompt = json!({ "prompt": "Tell." });
    caller.post(&format!("{}/prompt", session.path())).json(prompt).await.expect(202);
    stream.next_of("message.delta").await;
}

const CHARGED: &str = "select count(*) from usage_events where prompt_tokens = 200 and micro_credits > 0";

#[tokio::test]
async fn closing_a_session_keeps_its_models_text_so_far_and_charges_it() {
    let agent = AgentSession::open(vec![Reply::Hang("Once upon a")]).await;
    let session = telling(&agent).await;
    begin(&agent, &session).await;
    session.close().await.expect(200);
    assert_eq!(conversation(&agent.opened.caller, &session).await, ["user: Tell.", "assistant: Once upon a"]);
    assert_eq!(agent.opened.deployment.database.count(CHARGED).await, 1);
}

#[tokio::test]
async fn a_stopping_process_pauses_its_runs_with_their_text_and_cost() {
    let mut agent = AgentSession::open(vec![Reply::Hang("Once upon a")]).await;
    let session = telling(&agent).await;
    begin(&agent, &session).await;
    agent.opened.deployment.control[0].ask_to_end();
    assert_eq!(agent.opened.deployment.control[0].wait_for_end(), Some(0));
    let paused = "select count(*) from session_runs where status = 'paused' and ended_at is not null";
    assert_eq!(agent.opened.deployment.database.count(paused).await, 1);
    assert_eq!(agent.opened.deployment.database.count(CHARGED).await, 1);
    agent.opened.deployment.control[0].restart();
    assert_eq!(conversation(&agent.opened.caller, &session).await, ["user: Tell.", "assistant: Once upon a"]);
}

#[tokio::test]
async fn an_abandoned_run_fails_although_its_process_lives_and_works_on_another() {
    let agent = AgentSession::open(vec![Reply::Hang("Once upon a")]).await;
    agent.prompt("Tell.").await.expect(202);
    eventually("the model is asked", || !agent.server.asked().is_empty()).await;
    let idle = Session::open(&agent.opened.caller, &agent.opened.project).await;
    let client = agent.opened.deployment.database.connect().await;
    // The state after a lost dispatch to a process.
    let given = format!(
        "insert into session_runs (id, session_id, status, user_id, model, process_id, lease_until, started_at) \
         select gen_random_uuid(), '{}', 'running', user_id, model, process_id, now(), now() from session_runs",
        idle.id
    );
    client.batch_execute(&given).await.unwrap();
    let failed =
        format!("select count(*) from session_runs where session_id = '{}' and status = 'failed'", idle.id);
    testkit::open_session::eventually_async("it has failed", async || {
        agent.opened.deployment.database.count(&failed).await == 1
    })
    .await;
    agent.reaches("running").await;
    agent.opened.caller.post(&agent.path("stop")).await.expect(200);
}

#[tokio::test]
async fn the_last_run_is_the_latest_started_regardless_of_clocks() {
    let agent = AgentSession::open(vec![Reply::Text("Good."), Reply::Status(400)]).await;
    agent.prompt("Go.").await.expect(202);
    agent.reaches("completed").await;
    let client = agent.opened.deployment.database.connect().await;
    // Simulates a process whose clock is ahead.
    client
        .batch_execute(
            "alter table session_messages drop constraint session_messages_run_id_fkey; \
             update session_runs set id = 'ffffffff-ffff-7fff-bfff-ffffffffffff'; \
             update session_messages set run_id = 'ffffffff-ffff-7fff-bfff-ffffffffffff'",
        )
        .await
        .unwrap();
    agent.prompt("Go on.").await.expect(202);
    agent.reaches("failed").await;
    let listed =
        agent.opened.caller.get(&format!("/api/v2/projects/{}/sessions", agent.opened.project)).await;
    assert_eq!(listed.expect(200).text("/sessions/0/status"), "failed");
}

#[tokio::test]
async fn stopping_an_ended_run_answers_its_end() {
    let agent = AgentSession::open(vec![Reply::Text("Good.")]).await;
    agent.prompt("Go.").await.expect(202);
    agent.reaches("completed").await;
    let stopped = agent.opened.caller.post(&agent.path("stop")).await;
    assert_snapshot!(stopped, @r#"200 {"sessionId":"<id 1>","status":"completed","stopped":false,"taskId":""}"#);
    // The run of the other session continues.
    let other = Session::open(&agent.opened.caller, &agent.opened.project).await;
    reaches(&agent.opened.caller, &other, "idle").await;
}
