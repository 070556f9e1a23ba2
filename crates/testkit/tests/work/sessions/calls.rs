//! Unusual, many and large calls by models; the conversation always remains usable for the next run.

use serde_json::{Value, json};
use testkit::model_server::Reply;

use crate::sessions::support::AgentSession;

/// A chunk of chat completions with one piece of a call.
fn piece(call: Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] })
}

#[tokio::test]
async fn a_call_with_too_deeply_nested_arguments_is_refused_and_the_run_goes_on() {
    let nested = (0..125).fold(json!(1), |inner, _| json!([inner]));
    let deep = Reply::Calls(vec![("project__get_tree", json!({ "a": nested }))]);
    let agent = AgentSession::open(vec![deep, Reply::Text("Good.")]).await;
    agent.prompt("Go.").await.expect(202);
    agent.reaches("completed").await;
    let said = agent.conversation().await;
    assert_eq!(
        (said[1].as_str(), said[3].as_str()),
        ("assistant: project__get_tree({})", "assistant: Good.")
    );
    assert!(said[2].starts_with("tool: refused: ") && said[2].contains("nested"), "{said:?}");
}

#[tokio::test]
async fn calls_with_equal_ids_or_without_numbers_get_results_under_distinct_ids() {
    let call = |index: Option<u64>, id: &str, name: &str| {
        let function = json!({ "name": name, "arguments": "{}" });
        piece(json!({ "index": index, "id": id, "type": "function", "function": function }))
    };
    let rest = |arguments: &str| piece(json!({ "function": { "arguments": arguments } }));
    let replies = vec![
        Reply::Chunks(vec![call(Some(0), "same", "no__a"), call(Some(1), "same", "no__b")]),
        Reply::Chunks(vec![
            piece(json!({ "id": "x", "function": { "name": "no__c", "arguments": "{\"a\":" } })),
            rest("1}"),
            call(None, "y", "no__d"),
        ]),
        Reply::Chunks(vec![call(Some(0), "i\0d", "no__\0e")]),
        Reply::Text("Done."),
    ];
    let agent = AgentSession::open(replies).await;
    agent.prompt("Go.").await.expect(202);
    agent.reaches("completed").await;
    let said = agent.conversation().await;
    let calls: Vec<&String> = said.iter().filter(|line| line.starts_with("assistant: no__")).collect();
    assert_eq!(
        calls,
        [
            "assistant: no__a({}) + no__b({})",
            "assistant: no__c({\"a\":1}) + no__d({})",
            "assistant: no__e({})"
        ]
    );
    let asked = &agent.server.asked()[3].body["messages"];
    let ids = |pointer: &str| -> Vec<Value> {
        asked.as_array().unwrap().iter().filter_map(|message| message.pointer(pointer).cloned()).collect()
    };
    let mut called = [ids("/tool_calls/0/id"), ids("/tool_calls/1/id")].concat();
    let mut answered = ids("/tool_call_id");
    called.sort_by_key(Value::to_string);
    answered.sort_by_key(Value::to_string);
    assert_eq!(called, answered);
    called.dedup();
    assert_eq!(called.len(), 5);
}

#[tokio::test]
async fn of_too_large_results_a_model_gets_the_newest_and_always_the_prompt() {
    let agent = AgentSession::open(vec![]).await;
    let opened = &agent.opened;
    let path = format!("/api/v2/projects/{}/objects", opened.project);
    let body = json!({ "name": "Log", "data": { "text": "x".repeat(31_000) } });
    let object = opened.caller.post(&path).json(body).await.expect(201).text("/object/id");
    let read = ("project__get_object", json!({ "objectId": object }));
    agent.server.answer(vec![Reply::Calls(vec![read; 20]), Reply::Text("Read.")]);
    agent.prompt("Read the log, twenty times.").await.expect(202);
    agent.reaches("completed").await;
    let asked = &agent.server.asked()[1].body["messages"];
    assert!(asked.to_string().len() < 450_000, "{} bytes", asked.to_string().len());
    assert_eq!(asked[1], json!({ "role": "user", "content": "Read the log, twenty times." }));
    let results = asked.as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let results: Vec<&str> = results.map(|result| result["content"].as_str().unwrap()).collect();
    assert_eq!(results.len(), 20);
    assert!(results[0].starts_with("[left out"), "{}", results[0]);
    assert!(results[19].contains("xxxx"));
}
