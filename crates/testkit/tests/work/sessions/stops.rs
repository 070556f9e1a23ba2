//! Stopping a run on any process, by any caller: it ends in `paused`, and the conversation can continue.

use insta::assert_snapshot;
use testkit::deployment::Options;
use testkit::model_server::Reply;
use testkit::open_session::eventually;

use crate::sessions::support::{AgentSession, reaches};

#[tokio::test]
async fn a_run_stopped_during_an_answer_keeps_its_text_and_a_new_prompt_follows() {
    let agent = AgentSession::open(vec![Reply::Hang("Once upon a"), Reply::Text("Good.")]).await;
    let task = agent.prompt("Tell.").await.expect(202).text("/taskId");
    let mut stream = testkit::events::EventStream::open(agent.opened.caller.get(&agent.path("events"))).await;
    stream.next_of("message.delta").await;
    let stopped = agent.opened.caller.post(&agent.path("stop")).await;
    assert_snapshot!(stopped, @r#"200 {"sessionId":"<id 1>","status":"paused","stopped":true,"taskId":"<id 2>"}"#);
    assert_eq!(stopped.text("/taskId"), task);
    agent.reaches("paused").await;
    let again = agent.opened.caller.post(&agent.path("stop")).await;
    assert_snapshot!(again, @r#"200 {"sessionId":"<id 1>","status":"paused","stopped":false,"taskId":""}"#);
    agent.prompt("Go on.").await.expect(202);
    agent.reaches("completed").await;
    assert_eq!(
        agent.conversation().await,
        ["user: Tell.", "assistant: Once upon a", "user: Go on.", "assistant: Good."]
    );
    // The provider had not told the tokens of the first answer.
    let charged = "select count(*) from usage_events";
    assert_eq!(agent.opened.deployment.database.count(charged).await, 2);
}

#[tokio::test]
async fn a_run_with_a_silent_model_is_stopped_by_another_replica() {
    let options = Options { control_replicas: 2, ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Hang("")]).await;
    let other = agent.opened.caller.at(&agent.opened.deployment.control_urls[1]);
    agent.prompt("Tell.").await.expect(202);
    eventually("the model is asked", || !agent.server.asked().is_empty()).await;
    reaches(&other, &agent.opened.session, "running").await;
    let stopped = other.post(&agent.path("stop")).await.expect(200);
    assert_eq!(stopped.text("/status"), "paused");
    for caller in [&agent.opened.caller, &other] {
        reaches(caller, &agent.opened.session, "paused").await;
    }
}

#[tokio::test]
async fn of_a_concurrent_stop_and_completion_exactly_one_succeeds() {
    let agent = AgentSession::open(vec![Reply::Text("Done.")]).await;
    for _ in 0..15 {
        agent.prompt("Do.").await.expect(202);
        let stopped = agent.opened.caller.post(&agent.path("stop")).await.expect(200);
        let status = agent.opened.caller.get(&agent.opened.session.path()).await.text("/session/status");
        let said = stopped.json()["stopped"].as_bool().unwrap();
        assert_eq!((said, status.as_str()), if said { (true, "paused") } else { (false, "completed") });
        assert_eq!(stopped.text("/status"), status);
    }
}

#[tokio::test]
async fn a_prompt_to_any_replica_is_dispatched_to_the_sessions_host() {
    let options = Options { control_replicas: 2, ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Text("Done.")]).await;
    let other = agent.opened.caller.at(&agent.opened.deployment.control_urls[1]);
    let body = serde_json::json!({ "prompt": "Do." });
    other.post(&agent.path("prompt")).json(body).await.expect(202);
    reaches(&other, &agent.opened.session, "completed").await;
    assert!(agent.opened.deployment.control[0].output().lines().all(|line| !line.contains("took over")));
}

#[tokio::test]
async fn a_run_is_stopped_during_a_hanging_tool_whose_call_gets_a_result() {
    let create = ("project__create_object", serde_json::json!({ "name": "Tooth" }));
    let agent = AgentSession::open(vec![Reply::Calls(vec![create]), Reply::Text("Good.")]).await;
    let mut blocker = agent.opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select 1 from branches for update", &[]).await.unwrap();
    agent.prompt("Make a tooth.").await.expect(202);
    agent.opened.deployment.database.wait_for_blocked(1).await;
    let stopped = agent.opened.caller.post(&agent.path("stop")).await.expect(200);
    assert_eq!((stopped.text("/status").as_str(), &stopped.json()["stopped"]), ("paused", &true.into()));
    lock.rollback().await.unwrap();
    agent.opened.deployment.database.wait_for_quiet().await;
    assert!(agent.opened.added().await.is_empty());

    // Models refuse a conversation with a call that has no result.
    agent.prompt("Go on.").await.expect(202);
    agent.reaches("completed").await;
    let said = agent.conversation().await;
    assert_eq!(said.len(), 5, "{said:?}");
    assert!(said[1].starts_with("assistant: project__create_object("), "{said:?}");
    assert!(said[2].starts_with("tool: refused: "), "{said:?}");
    assert_eq!(said[3..], ["user: Go on.", "assistant: Good."]);
}
