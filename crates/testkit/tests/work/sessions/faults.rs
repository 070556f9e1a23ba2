//! Misbehaving models, and processes and Redis that die during a run.

use testkit::caller::Caller;
use testkit::deployment::Options;
use testkit::events::EventStream;
use testkit::model_server::Reply;
use testkit::open_session::{eventually, eventually_async};
use testkit::redis::PrivateRedis;

use crate::sessions::support::{AgentSession, conversation, reaches};

/// The events of a session about runs and complete messages so far.
async fn run_events(caller: &Caller, agent: &AgentSession) -> Vec<String> {
    let path = format!("{}?follow=false", agent.path("events"));
    let events = EventStream::open(caller.get(&path)).await.rest().await;
    let told = events.iter().filter(|event| ["run.status", "message.created"].contains(&event.kind.as_str()));
    told.map(|event| {
        let data = &event.json["data"];
        data.get("status").or(data.get("role")).unwrap().as_str().unwrap().to_owned()
    })
    .collect()
}

/// A run without end whose process sleeps, and a caller of the other replica.
async fn run_of_a_sleeping_process() -> (AgentSession, Caller) {
    let options = Options { control_replicas: 2, ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Endless]).await;
    let other = agent.opened.caller.at(&agent.opened.deployment.control_urls[1]);
    agent.prompt("Tell.").await.expect(202);
    eventually("the model is asked", || !agent.server.asked().is_empty()).await;
    reaches(&other, &agent.opened.session, "running").await;
    agent.opened.deployment.control[0].process().pause();
    (agent, other)
}

/// The code of the next run's failure.
async fn failure(agent: &AgentSession) -> String {
    let mut stream = EventStream::open(agent.opened.caller.get(&agent.path("events"))).await;
    let task = agent.prompt("Go.").await.expect(202).text("/taskId");
    loop {
        let told = stream.next_of("run.status").await.json;
        if told["data"]["taskId"] == task.as_str() && told["data"]["status"] == "failed" {
            return told["data"]["failure"]["code"].as_str().unwrap().to_owned();
        }
    }
}

#[tokio::test]
async fn a_misbehaving_or_refusing_model_fails_only_its_run() {
    let environment = vec![("model_silence_secs", "1".to_owned())];
    let options = Options { environment, ..Options::default() };
    let agent = AgentSession::with(options, vec![]).await;
    for reply in [
        Reply::Garbage(10 * 1024 * 1024),
        Reply::BreakOff("Once upon"),
        Reply::Hang("Once upon"),
        Reply::Status(400),
        Reply::Status(500),
    ] {
        agent.server.answer(vec![reply]);
        assert_eq!(failure(&agent).await, "MODEL_ERROR");
    }
    // A temporary refusal was retried.
    assert_eq!(agent.server.asked().len(), 4 + 3);
    agent.server.answer(vec![Reply::Status(503), Reply::Text("Here I am.")]);
    agent.prompt("Go.").await.expect(202);
    agent.reaches("completed").await;
    let peak = agent.opened.deployment.control[0].process().peak_memory_bytes();
    assert!(peak < 200 * 1024 * 1024, "{peak} bytes");
}

#[tokio::test]
async fn a_run_that_takes_too_long_fails_and_keeps_its_messages() {
    let environment = vec![("run_secs", "1".to_owned())];
    let options = Options { environment, ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Endless]).await;
    assert_eq!(failure(&agent).await, "RUN_LIMIT_REACHED");
    assert!(agent.conversation().await[1].starts_with("assistant: on and on"));
}

// X8
#[tokio::test]
async fn wiping_redis_does_not_affect_a_run() {
    let redis = PrivateRedis::start();
    let options = Options { redis_url: redis.url(), ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Hang("Once upon")]).await;
    agent.prompt("Tell.").await.expect(202);
    eventually("the model is asked", || !agent.server.asked().is_empty()).await;
    redis.wipe();
    agent.reaches("running").await;
    let stopped = agent.opened.caller.post(&agent.path("stop")).await.expect(200);
    assert_eq!(stopped.text("/status"), "paused");
}

// X6, X9
// X6
#[tokio::test]
async fn a_session_is_prompted_without_redis() {
    let mut redis = PrivateRedis::start();
    let options = Options { redis_url: redis.url(), control_replicas: 2, ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Text("Done.")]).await;
    redis.kill();
    agent.prompt("Go.").await.expect(202);
    eventually_async("the run answers", async || {
        agent.conversation().await.last().is_some_and(|last| last == "assistant: Done.")
    })
    .await;
}

#[tokio::test]
async fn a_run_can_be_stopped_without_redis() {
    let mut redis = PrivateRedis::start();
    let options = Options { redis_url: redis.url(), control_replicas: 2, ..Options::default() };
    let agent = AgentSession::with(options, vec![Reply::Hang("Once upon")]).await;
    agent.prompt("Tell.").await.expect(202);
    eventually("the model is asked", || !agent.server.asked().is_empty()).await;
    redis.kill();
    let other = agent.opened.caller.at(&agent.opened.deployment.control_urls[1]);
    let read = other.get(&agent.opened.session.path()).await.expect(200);
    assert_eq!(read.text("/session/status"), "unknown");
    let stopped = other.post(&agent.path("stop")).await.expect(200);
    assert_eq!((stopped.text("/status").as_str(), &stopped.json()["stopped"]), ("paused", &true.into()));
    redis.restart();
    reaches(&other, &agent.opened.session, "paused").await;
}

// X12, X10
#[tokio::test]
async fn a_run_fails_within_its_lease_after_its_process_died_and_its_session_continues_elsewhere() {
    let options = Options { control_replicas: 2, ..Options::default() };
    let mut agent = AgentSession::with(options, vec![Reply::Hang("Once upon"), Reply::Text("Good.")]).await;
    agent.prompt("Tell.").await.expect(202);
    eventually("the model is asked", || !agent.server.asked().is_empty()).await;
    agent.opened.deployment.control[0].kill();
    let other = agent.opened.caller.at(&agent.opened.deployment.control_urls[1]);
    reaches(&other, &agent.opened.session, "failed").await;
    let stopped = other.post(&agent.path("stop")).await.expect(200);
    assert_eq!((stopped.text("/status").as_str(), &stopped.json()["stopped"]), ("failed", &false.into()));
    let body = serde_json::json!({ "prompt": "Go on." });
    other.post(&agent.path("prompt")).json(body).await.expect(202);
    reaches(&other, &agent.opened.session, "completed").await;
    let said = conversation(&other, &agent.opened.session).await;
    assert_eq!(said, ["user: Tell.", "user: Go on.", "assistant: Good."]);
    agent.opened.deployment.control[0].restart();
}

// X10
#[tokio::test]
async fn a_process_that_slept_through_its_lease_writes_nothing_for_its_failed_run() {
    let (project, other) = run_of_a_sleeping_process().await;
    // Simulates that much sleep.
    let client = project.opened.deployment.database.connect().await;
    client.batch_execute("update session_runs set lease_until = now() - interval '1 second'").await.unwrap();
    eventually_async("the run has failed", async || {
        run_events(&other, &project).await.ends_with(&["failed".to_owned()])
    })
    .await;
    let before = (run_events(&other, &project).await, conversation(&other, &project.opened.session).await);
    assert_eq!(before.0, ["starting", "user", "running", "failed"]);

    project.opened.deployment.control[0].process().resume();
    eventually("the request to the model is aborted", || project.server.hung_up() == 1).await;
    for caller in [&project.opened.caller, &other] {
        assert_eq!(
            (run_events(caller, &project).await, conversation(caller, &project.opened.session).await),
            (before.0.clone(), before.1.clone())
        );
        reaches(caller, &project.opened.session, "failed").await;
    }
    assert_eq!(project.opened.deployment.database.count("select count(*) from usage_events").await, 0);
}

#[tokio::test]
async fn a_run_is_stopped_during_its_processs_sleep_and_the_process_writes_nothing_after_it() {
    let (project, other) = run_of_a_sleeping_process().await;
    let stopped = other.post(&project.path("stop")).await.expect(200);
    assert_eq!((stopped.text("/status").as_str(), &stopped.json()["stopped"]), ("paused", &true.into()));
    let before = run_events(&other, &project).await;
    assert_eq!(before, ["starting", "user", "running", "paused"]);

    project.opened.deployment.control[0].process().resume();
    eventually("the request to the model is aborted", || project.server.hung_up() == 1).await;
    assert_eq!(run_events(&project.opened.caller, &project).await, before);
    reaches(&project.opened.caller, &project.opened.session, "paused").await;
}
