//! Budgets of sessions: checked before each call, also of servers that count nothing, and raised.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::events::EventStream;
use testkit::model_server::Reply;
use testkit::session::Session;

use crate::sessions::support::{AgentSession, conversation, reaches};

/// An endless loop of calls by a server that counts no tokens.
fn uncounted() -> Reply {
    let call = json!({ "index": 0, "id": "a", "function": { "name": "no__tool", "arguments": "{}" } });
    let chunk = json!({ "choices": [{ "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" }] });
    Reply::Body(200, format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

/// A session without tools and with a budget.
async fn session_with(agent: &AgentSession, credits: f64) -> Session {
    let path = format!("/api/v2/projects/{}/sessions", agent.opened.project);
    let body = json!({ "budget": { "credits": credits }, "toolboxes": [] });
    let opened = agent.opened.caller.post(&path).json(body).await.expect(201);
    Session { id: opened.text("/sessionId"), ..agent.opened.session.clone() }
}

/// The failure of the next run.
async fn failure(caller: &Caller, session: &Session) -> Value {
    let mut events = EventStream::open(caller.get(&format!("{}/events", session.path()))).await;
    let prompt = caller.post(&format!("{}/prompt", session.path())).json(json!({ "prompt": "Go." }));
    let run = prompt.await.expect(202).text("/taskId");
    loop {
        let told = events.next_of("run.status").await.json;
        if told["data"]["taskId"] == run.as_str() && told["data"]["status"] == "failed" {
            return told["data"]["failure"].clone();
        }
    }
}

fn credits(value: &Value) -> f64 {
    value.as_f64().or_else(|| value.as_str()?.parse().ok()).unwrap()
}

#[tokio::test]
async fn a_budget_is_kept_also_where_the_server_counts_no_tokens() {
    let agent = AgentSession::open(vec![uncounted()]).await;
    let caller = &agent.opened.caller;
    let session = session_with(&agent, 0.01).await;
    let failed = failure(caller, &session).await;
    assert_eq!(failed["code"], "CREDITS_EXHAUSTED");
    let details = &failed["details"];
    let (spent, needed) = (credits(&details["spent"]), credits(&details["needed"]));
    assert!(spent > 0.0 && spent < 0.01 && spent + needed > 0.01, "{failed}");
    let accountant = agent.opened.alice.key(&["usage:read"]).await;
    let totals =
        accountant.get(&format!("{}/usage", session.path())).await.expect(200).json()["totals"].clone();
    assert_eq!(credits(&totals["credits"]), spent);
    assert_eq!(totals["estimatedEventCount"], totals["eventCount"]);
    assert!(totals["eventCount"].as_i64().unwrap() > 1, "{totals}");
    // The answers were bounded by what was left.
    let bounds: Vec<i64> = agent
        .server
        .asked()
        .iter()
        .map(|asked| asked.body["max_completion_tokens"].as_i64().unwrap())
        .collect();
    assert!(bounds[0] < 8_192 && bounds.windows(2).all(|two| two[1] < two[0]), "{bounds:?}");
}

#[tokio::test]
async fn a_call_that_may_cost_more_than_what_is_left_is_not_made_and_a_raised_budget_lets_it() {
    let agent = AgentSession::open(vec![Reply::Text("Here I am.")]).await;
    let caller = &agent.opened.caller;
    let session = session_with(&agent, 0.001).await;
    let failed = failure(caller, &session).await;
    assert_eq!(
        (&failed["code"], &failed["details"]["spent"]),
        (&json!("CREDITS_EXHAUSTED"), &json!("0.000000"))
    );
    assert_eq!(agent.server.asked().len(), 0);
    let patch = async |budget: Value| caller.patch(&session.path()).json(json!({ "budget": budget })).await;
    let raised = patch(json!({ "credits": "0.02" })).await.expect(200).json();
    assert_eq!(raised["session"]["budget"]["credits"], 0.02);
    let prompt =
        async || caller.post(&format!("{}/prompt", session.path())).json(json!({ "prompt": "Go." })).await;
    prompt().await.expect(202);
    reaches(caller, &session, "completed").await;
    assert_eq!(conversation(caller, &session).await.pop().unwrap(), "assistant: Here I am.");
    // Below what is spent already.
    patch(json!({ "credits": 0.001 })).await.expect(200);
    assert_snapshot!(prompt().await, @r#"402 CREDITS_EXHAUSTED {"budget":"0.001000","spent":"0.001991"}"#);
    assert_eq!(patch(json!(null)).await.expect(200).json()["session"]["budget"], Value::Null);
    prompt().await.expect(202);
    reaches(caller, &session, "completed").await;
    assert_snapshot!(caller.patch(&session.path()).json(json!({})).await, @"400 INVALID_REQUEST body minProperties");
    assert_snapshot!(patch(json!({ "credits": -1 })).await, @"400 INVALID_REQUEST body.budget.credits minimum");
    session.close().await.expect(200);
    assert_snapshot!(patch(json!(null)).await, @"404 NOT_FOUND");
}
