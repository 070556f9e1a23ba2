//! The protocol of chat completions: OpenAI, Ollama, vLLM and many others.

use domain::work::conversation::{Message, MessagePart, Role};
use domain::work::usage::TokenCounts;
use serde_json::{Map, Value, json};

use crate::models::Question;
use crate::models::draft::{AnswerDraft, CallPiece};
use crate::models::merge::merge;
use crate::models::sent::{CallIds, SentCall, name_calls, sent_message};
use crate::models::values;

/// The data of the last event of a stream.
pub(super) const DONE: &str = "[DONE]";

/// The text of an answer without any, which some servers refuse. Only results of old conversations have none.
const NOTHING: &str = "[no content]";

/// The body of a request to the server `origin`.
pub(super) fn body(model: &str, origin: &str, question: &Question<'_>) -> Map<String, Value> {
    let mut messages = vec![json!({ "role": "system", "content": question.instructions })];
    let mut ids = CallIds::default();
    for message in question.messages {
        match sent_back(message, origin, &mut ids) {
            Some(sent) => messages.push(sent),
            None => push(&mut messages, message, &ids),
        }
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

/// An answer as this server sent it, if it did.
fn sent_back<'a>(message: &'a Message, origin: &str, ids: &mut CallIds<'a>) -> Option<Value> {
    let mut sent = sent_message(message, origin)?.clone();
    let calls = sent.get_mut("tool_calls").and_then(Value::as_array_mut);
    let calls = calls.into_iter().flatten().filter_map(Value::as_object_mut).collect();
    name_calls(calls, message, ids).then_some(sent)
}

/// The message of an answer as it came; `None` if its parts say all of it.
pub(super) fn message(fields: Map<String, Value>, text: &str, calls: Vec<SentCall>) -> Option<Value> {
    let is_told = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    };
    let mut message: Map<String, Value> = fields.into_iter().filter(|(_, value)| is_told(value)).collect();
    message.remove("role");
    // Parts of text alone are the text.
    let is_of_text = |part: &Value| !values::content(Some(part)).is_empty();
    if message
        .get("content")
        .is_some_and(|content| content.as_array().is_none_or(|parts| parts.iter().all(is_of_text)))
    {
        message.remove("content");
    }
    if message.is_empty() && calls.is_empty() {
        return None;
    }
    message.insert("role".to_owned(), "assistant".into());
    message.entry("content").or_insert_with(|| text.into());
    if !calls.is_empty() {
        message.insert("tool_calls".to_owned(), calls.into_iter().map(sent_call).collect());
    }
    Some(message.into())
}

fn sent_call(call: SentCall) -> Value {
    let SentCall { id, name, params, mut fields, .. } = call;
    let mut function = match fields.remove("function") {
        Some(Value::Object(function)) => function,
        _ => Map::new(),
    };
    function.insert("name".to_owned(), name.into());
    function.insert("arguments".to_owned(), Value::Object(params).to_string().into());
    // The number tells pieces of a stream apart.
    fields.retain(|name, value| !matches!(name.as_str(), "index" | "name" | "arguments") && !value.is_null());
    fields.insert("id".to_owned(), id.into());
    fields.entry("type").or_insert_with(|| "function".into());
    fields.insert("function".to_owned(), function.into());
    fields.into()
}

fn push(messages: &mut Vec<Value>, message: &Message, ids: &CallIds<'_>) {
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
                    let text = if text.is_empty() { NOTHING } else { text };
                    let id = ids.of(call_id);
                    messages.push(json!({ "role": "tool", "tool_call_id": id, "content": text }));
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
    for (name, value) in said.as_object().into_iter().flatten() {
        // Calls and texts have places of their own.
        if name != "tool_calls" && !(name == "content" && value.is_string()) {
            merge(&mut draft.fields, &Map::from_iter([(name.clone(), value.clone())]));
        }
    }
    let begun = draft.calls.len();
    for call in values::list(said.get("tool_calls")) {
        // Some servers leave out the level of the function.
        let function = call.get("function").filter(|function| function.is_object()).unwrap_or(call);
        let piece = CallPiece {
            index: values::number(call.get("index")),
            id: values::text(call.get("id")),
            name: values::text(function.get("name")),
            arguments: values::json_text(function.get("arguments")),
            fields: call.as_object().cloned().unwrap_or_default(),
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
