//! The protocol of chat completions: OpenAI, Ollama, vLLM and many others.

use domain::conversation::{Message, MessagePart, Role};
use domain::usage::TokenCounts;
use serde_json::{Map, Value, json};

use crate::models::Question;
use crate::models::draft::{AnswerDraft, CallPiece};
use crate::models::values;

/// The data of the last event of a stream.
pub(super) const DONE: &str = "[DONE]";

/// The body of a request.
pub(super) fn body(model: &str, question: &Question<'_>) -> Map<String, Value> {
    let mut messages = vec![json!({ "role": "system", "content": question.instructions })];
    for message in question.messages {
        push(&mut messages, message);
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), model.into());
    body.insert("messages".to_owned(), messages.into());
    body.insert("stream".to_owned(), true.into());
    body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    let tools: Vec<Value> = question
        .tools
        .iter()
        .map(|tool| {
            let function =
                json!({ "name": tool.name, "description": tool.description, "parameters": tool.input_schema });
            json!({ "type": "function", "function": function })
        })
        .collect();
    // An empty list is refused.
    if !tools.is_empty() {
        body.insert("tools".to_owned(), tools.into());
    }
    body
}

fn push(messages: &mut Vec<Value>, message: &Message) {
    let texts = message.parts.iter().filter_map(|part| match part {
        MessagePart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    match message.role {
        Role::User => messages.push(json!({ "role": "user", "content": text })),
        Role::Assistant => {
            let calls: Vec<Value> = message.parts.iter().filter_map(call).collect();
            let mut said = json!({ "role": "assistant", "content": text });
            if let (false, Some(said)) = (calls.is_empty(), said.as_object_mut()) {
                said.insert("tool_calls".to_owned(), calls.into());
            }
            messages.push(said);
        }
        Role::Tool => {
            for part in &message.parts {
                if let MessagePart::ToolResult { call_id, text, .. } = part {
                    messages.push(json!({ "role": "tool", "tool_call_id": call_id, "content": text }));
                }
            }
        }
    }
}

fn call(part: &MessagePart) -> Option<Value> {
    let MessagePart::ToolCall { call_id, name, params } = part else { return None };
    let arguments = Value::Object(params.clone()).to_string();
    Some(json!({ "id": call_id, "type": "function", "function": { "name": name, "arguments": arguments } }))
}

/// Adds a chunk, or the whole answer of a server that doesn't stream, to the draft; returns its text.
pub(super) fn read(draft: &mut AnswerDraft, said: &Value, is_whole: bool) -> String {
    let choice = said.pointer("/choices/0");
    let places = [Some(said), choice];
    let mut usages = places.into_iter().flatten().filter_map(|place| place.get("usage"));
    if let Some(usage) = usages.find(|usage| usage.is_object()) {
        draft.tokens = tokens(usage);
    }
    let Some(choice) = choice else { return String::new() };
    draft.end_by(values::text(choice.get("finish_reason")).as_str());
    if is_whole {
        // A whole document is not cut, even if it gives no reason.
        draft.end_by("stop");
    }
    let said = ["delta", "message"].iter().find_map(|name| choice.get(*name).filter(|said| said.is_object()));
    let Some(said) = said else { return String::new() };
    let begun = draft.calls.len();
    for call in values::list(said.get("tool_calls")) {
        // Some servers leave out the level of the function.
        let function = call.get("function").filter(|function| function.is_object()).unwrap_or(call);
        let piece = CallPiece {
            index: values::number(call.get("index")),
            id: values::text(call.get("id")),
            name: values::text(function.get("name")),
            arguments: values::json_text(function.get("arguments")),
        };
        draft.add_to_call(piece, begun);
    }
    draft.refusal.push_str(&values::text(said.get("refusal")));
    draft.add_text(&values::content(said.get("content")))
}

/// The protocol counts cached tokens as prompt, and reasoning as completion; the ledger counts each once.
fn tokens(usage: &Value) -> TokenCounts {
    let count = |pointer: &str| values::count(usage.pointer(pointer)).unwrap_or_default();
    let cached = count("/prompt_tokens_details/cached_tokens");
    let thought = count("/completion_tokens_details/reasoning_tokens");
    TokenCounts {
        prompt: (count("/prompt_tokens") - cached).max(0),
        completion: (count("/completion_tokens") - thought).max(0),
        reasoning: thought,
        cache_write: 0,
        cache_read: cached,
    }
}
