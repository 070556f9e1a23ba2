//! Sessions that were never closed and that no process remembers.

use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::{Deployment, Options};
use testkit::open_session::{OpenSession, eventually_async};
use testkit::redis::PrivateRedis;

/// A deployment with a lapsed session, in the state of hours after its process's death.
async fn lapsed(redis: &PrivateRedis) -> OpenSession {
    let environment = vec![("maintenance_secs", "1".to_owned())];
    let options = Options { redis_url: redis.url(), environment, ..Options::default() };
    let mut opened = OpenSession::on(Deployment::with(options).await).await;
    opened.deployment.control[0].kill();
    redis.wipe();
    opened.deployment.control[0].restart();
    let read = async || opened.caller.get(&opened.session.path()).await.expect(200).text("/session/status");
    eventually_async("it has lapsed", async || read().await == "no_session").await;
    opened
}

#[tokio::test]
async fn a_lapsed_session_can_be_read_and_stopped_and_is_otherwise_absent() {
    let redis = PrivateRedis::start();
    let opened = lapsed(&redis).await;
    let path = opened.session.path();
    let stopped = opened.caller.post(&format!("{path}/stop")).await;
    assert_snapshot!(stopped, @r#"200 {"sessionId":"<id 1>","status":"no_session","stopped":false,"taskId":""}"#);
    opened.caller.get(&format!("{path}/messages")).await.expect(200);
    let tool = json!({ "toolbox": "project", "tool": "get_tree" });
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    for request in [
        opened.caller.post(&format!("{path}/tools/invoke")).json(tool),
        opened.caller.get(&format!("{path}/tools")),
        opened.caller.post(&format!("{path}/mcp")).json(ping),
        opened.caller.post(&format!("{path}/grant")),
        opened.caller.delete(&path),
    ] {
        assert_eq!(request.await.to_string(), "404 NOT_FOUND");
    }
}

#[tokio::test]
async fn an_old_lapsed_session_is_closed_and_a_live_one_remains() {
    let redis = PrivateRedis::start();
    let opened = lapsed(&redis).await;
    let live = testkit::session::Session::open(&opened.caller, &opened.project).await;
    let client = opened.deployment.database.connect().await;
    client.batch_execute("update sessions set created_at = now() - interval '2 hours'").await.unwrap();
    eventually_async("it is closed", async || {
        opened.deployment.database.count("select count(*) from sessions where closed_at is not null").await
            == 1
    })
    .await;
    let listed =
        opened.caller.get(&format!("/api/v2/projects/{}/sessions", opened.project)).await.expect(200);
    let listed = listed.json();
    let ids: Vec<&str> =
        listed["sessions"].as_array().unwrap().iter().map(|one| one["sessionId"].as_str().unwrap()).collect();
    assert_eq!(ids, [live.id.as_str()]);
    let events = format!("{}/events?follow=false", opened.session.path());
    let events = testkit::events::EventStream::open(opened.caller.get(&events)).await.rest().await;
    let last = events.last().unwrap();
    assert_eq!((last.kind.as_str(), &last.json["data"]), ("session.closed", &json!({ "closedBy": null })));
}
