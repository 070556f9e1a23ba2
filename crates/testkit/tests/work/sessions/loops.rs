//! Loops of tools: a model's answer goes back to its server as it came, and a server that wants a pause gets it.

use serde_json::{Value, json};
use testkit::events::EventStream;
use testkit::model_server::Reply;

use crate::sessions::support::AgentSession;

fn stream(events: &[Value]) -> Reply {
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    Reply::Body(200, events)
}

fn chunk(delta: Value, reason: Option<&str>) -> Value {
    json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] })
}

#[tokio::test]
async fn an_answer_of_chat_completions_goes_back_with_its_reasoning_signatures_and_ids() {
    let id = "call_abc__thought__U0lH";
    let function = |arguments: &str| json!({ "name": "project__get_project", "arguments": arguments });
    let call = json!({
        "index": 0, "id": id, "type": "function", "function": function("{"),
        "provider_specific_fields": { "thought_signature": "U0lH" },
    });
    let detail = |text: &str| json!([{ "type": "reasoning.text", "index": 0, "text": text }]);
    let answer = stream(&[
        chunk(
            json!({ "role": "assistant", "reasoning_content": "I should ", "reasoning_details": detail("a") }),
            None,
        ),
        chunk(
            json!({ "reasoning_content": "look.", "reasoning_details": detail("b"), "refusal": null }),
            None,
        ),
        chunk(json!({ "content": "Looking.", "tool_calls": [call] }), None),
        chunk(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": "}" } }] }), None),
        chunk(json!({}), Some("tool_calls")),
    ]);
    let agent = AgentSession::open(vec![answer, Reply::Text("Done.")]).await;
    agent.prompt("Go.").await.expect(202);
    agent.reaches("completed").await;
    let sent = agent.server.asked()[1].body["messages"].clone();
    let call = json!({
        "id": id, "type": "function", "function": function("{}"),
        "provider_specific_fields": { "thought_signature": "U0lH" },
    });
    assert_eq!(
        sent[2],
        json!({
            "role": "assistant", "content": "Looking.", "reasoning_content": "I should look.",
            "reasoning_details": detail("ab"), "tool_calls": [call],
        })
    );
    assert_eq!((&sent[3]["role"], &sent[3]["tool_call_id"]), (&json!("tool"), &json!(id)));
    // Readers see neither reasoning nor signatures.
    let read = agent.opened.caller.get(&agent.path("messages")).await.expect(200);
    let read = String::from_utf8_lossy(&read.body).into_owned();
    assert!(!read.contains("U0lH") && !read.contains("I should"), "{read}");
}

#[tokio::test]
async fn an_answer_of_messages_goes_back_with_its_blocks_of_thinking() {
    let agent = AgentSession::open(vec![]).await;
    let delta =
        |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let kind = "content_block_start";
    let start = |index: u64, block: Value| json!({ "type": kind, "index": index, "content_block": block });
    let usage = json!({ "output_tokens": 20, "output_tokens_details": { "thinking_tokens": 15 } });
    let answer = stream(&[
        json!({ "type": "message_start", "message": { "usage": { "input_tokens": 10, "output_tokens": 1 } } }),
        start(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "h" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "m" })),
        delta(0, json!({ "type": "signature_delta", "signature": "SIG==" })),
        start(1, json!({ "type": "redacted_thinking", "data": "XYZ" })),
        start(2, json!({ "type": "tool_use", "id": "toolu_1", "name": "project__get_project", "input": {} })),
        delta(2, json!({ "type": "input_json_delta", "partial_json": "{}" })),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ]);
    agent.server.answer(vec![answer, Reply::Text("Done.")]);
    let path = format!("/api/v2/projects/{}/sessions", agent.opened.project);
    let body = json!({ "model": "claude", "prompt": "Go." });
    let session = agent.opened.caller.post(&path).json(body).await.expect(201).text("/sessionId");
    testkit::open_session::eventually_async("the run completes", async || {
        agent.opened.caller.get(&format!("{path}/{session}")).await.expect(200).text("/session/status")
            == "completed"
    })
    .await;
    let sent = agent.server.asked()[1].body["messages"].clone();
    let blocks = json!([
        { "type": "thinking", "thinking": "hm", "signature": "SIG==" },
        { "type": "redacted_thinking", "data": "XYZ" },
        { "type": "tool_use", "id": "toolu_1", "name": "project__get_project", "input": {} },
    ]);
    assert_eq!((&sent[1]["content"], &sent[2]["content"][0]["tool_use_id"]), (&blocks, &json!("toolu_1")));
    let accountant = agent.opened.alice.key(&["usage:read"]).await;
    let usage = accountant.get(&format!("{path}/{session}/usage")).await.expect(200).json();
    assert_eq!(usage["totals"]["reasoningTokens"], json!(15), "{usage:#}");
}

#[tokio::test]
async fn a_run_says_for_how_long_its_models_server_wants_a_pause_and_fails_if_that_is_too_long() {
    let agent = AgentSession::open(vec![]).await;
    let mut events = EventStream::open(agent.opened.caller.get(&agent.path("events"))).await;
    agent.server.answer(vec![Reply::Later("retry-after-ms: 40"), Reply::Text("Done.")]);
    agent.prompt("Go.").await.expect(202);
    let waiting = events.next_of("run.waiting").await.json;
    assert_eq!(waiting["data"]["pauseSecs"], json!(0.04));
    assert!(waiting["data"]["reason"].as_str().unwrap().contains("status 429"), "{waiting}");
    agent.reaches("completed").await;
    agent.server.answer(vec![Reply::Later("retry-after: 3600")]);
    agent.prompt("Go.").await.expect(202);
    agent.reaches("failed").await;
    let failed = loop {
        let told = events.next_of("run.status").await.json;
        if told["data"]["status"] == "failed" {
            break told["data"]["failure"]["message"].as_str().unwrap().to_owned();
        }
    };
    let said = "The model's server answered with status 429: slow down. The server asks to be left alone for 3600 s.";
    assert_eq!((failed.as_str(), agent.server.asked().len()), (said, 3));
    // What a server doesn't implement is not asked for twice.
    agent.server.answer(vec![Reply::Status(501)]);
    agent.prompt("Go.").await.expect(202);
    eventually_failed(&agent).await;
    assert_eq!(agent.server.asked().len(), 4);
}

/// Waits until the run is over. The session was failed before it.
async fn eventually_failed(agent: &AgentSession) {
    testkit::open_session::eventually_async("the run fails", async || {
        agent.server.asked().len() >= 4
            && agent.opened.caller.get(&agent.opened.session.path()).await.expect(200).text("/session/status")
                == "failed"
    })
    .await;
}
