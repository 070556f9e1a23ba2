//! Answers of models that are no whole answers, and calls that can't be made.

use serde_json::{Value, json};
use testkit::events::EventStream;
use testkit::model_server::Reply;

use crate::sessions::support::AgentSession;

/// A stream of chat completions of these chunks, with its last line.
fn stream(chunks: &[Value]) -> Reply {
    let chunks: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    Reply::Body(200, chunks + "data: [DONE]\n\n")
}

fn said(text: &str, reason: Option<&str>) -> Value {
    json!({ "choices": [{ "delta": { "content": text }, "finish_reason": reason }] })
}

fn called(arguments: &str) -> Value {
    let function = json!({ "name": "project__create_object", "arguments": arguments });
    let call = json!({ "index": 0, "id": "a", "function": function });
    json!({ "choices": [{ "delta": { "tool_calls": [call] }, "finish_reason": "tool_calls" }] })
}

#[tokio::test]
async fn what_is_no_whole_answer_fails_its_run_in_the_servers_words_and_keeps_its_text() {
    let agent = AgentSession::open(vec![]).await;
    let mut events = EventStream::open(agent.opened.caller.get(&agent.path("events"))).await;
    let half = || said("Half a", None);
    let body = |status: u16, body: &str| Reply::Body(status, body.to_owned());
    for (reply, failure, text) in [
        (
            stream(&[
                half(),
                json!({ "error": { "message": "model-secret is over its quota", "code": 429 } }),
            ]),
            "The model's server reported an error: [masked] is over its quota (429)",
            "Half a",
        ),
        (
            stream(&[half(), said("", Some("length"))]),
            "The model's answer was cut by its server (`length`); its beginning is kept.",
            "Half a",
        ),
        (
            stream(&[half(), said("", Some("content_filter"))]),
            "The model's server ended the answer as not complete: content_filter",
            "Half a",
        ),
        (stream(&[half()]), "The model's answer broke off before its end.", "Half a"),
        (
            body(400, "{\"error\": {\"message\": \"no model `chat-1`, Bearer model-secret\"}}"),
            "The model's server answered with status 400: no model `chat-1`, Bearer [masked]",
            "",
        ),
        (body(200, "{\"error\": \"no memory\"}"), "The model's server reported an error: no memory", ""),
    ] {
        agent.server.answer(vec![reply]);
        let before = agent.conversation().await.len();
        let run = agent.prompt("Go.").await.expect(202).text("/taskId");
        let failed = loop {
            let told = events.next_of("run.status").await.json;
            if told["data"]["taskId"] == run.as_str() && told["data"]["status"] == "completed" {
                panic!("{failure}");
            }
            if told["data"]["taskId"] == run.as_str() && told["data"]["status"] == "failed" {
                break told["data"]["failure"].clone();
            }
        };
        assert_eq!((&failed["code"], &failed["message"]), (&json!("MODEL_ERROR"), &json!(failure)));
        let kept = agent.conversation().await.split_off(before + 1);
        let expected = if text.is_empty() { Vec::new() } else { vec![format!("assistant: {text}")] };
        assert_eq!(kept, expected, "{failure}");
    }
    // A whole answer in one piece.
    let message = json!({ "role": "assistant", "content": "All of it." });
    let whole = json!({ "choices": [{ "message": message, "finish_reason": "stop" }] });
    agent.server.answer(vec![body(200, &whole.to_string())]);
    agent.prompt("Go.").await.expect(202);
    agent.reaches("completed").await;
    assert_eq!(agent.conversation().await.pop().unwrap(), "assistant: All of it.");
}

#[tokio::test]
async fn a_call_that_can_not_be_made_is_answered_and_the_run_goes_on() {
    let agent = AgentSession::open(vec![]).await;
    for (arguments, shown) in [
        ("{\"name\": \"To", "is not one JSON object"),
        ("\"{\\\"name\\\": \\\"Tooth\\\"}\"", "not one JSON object"),
        ("[]", "not one JSON object"),
        ("{\"name\": \"\\ud800\"}", "not one JSON object"),
        ("null", "name"),
    ] {
        agent.server.answer(vec![stream(&[called(arguments)]), Reply::Text("So be it.")]);
        agent.prompt("Make a tooth.").await.expect(202);
        agent.reaches("completed").await;
        let said = agent.conversation().await;
        let result = &said[said.len() - 2];
        let shown = shown.trim_start_matches("is ");
        assert!(result.starts_with("tool: refused: ") && result.contains(shown), "{arguments}: {result}");
        assert_eq!(said[said.len() - 1], "assistant: So be it.");
        let asked = agent.server.asked().pop().unwrap().body["messages"].to_string();
        assert!(asked.contains(shown), "{arguments}: {asked}");
    }
    assert_eq!(agent.opened.added().await.len(), 0);
}
