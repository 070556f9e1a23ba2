//! The protocol of Anthropic's messages.

use domain::work::conversation::{Message, MessagePart, Picture, Role};
use serde_json::{Map, Value, json};

use crate::models::Question;
use crate::models::draft::{AnswerDraft, BlockDraft, CallPiece};
use crate::models::sent::{CallIds, SentCall, name_calls, pictures, sent_message};
use crate::models::values;

/// The type of a block that calls a tool.
const TOOL_USE: &str = "tool_use";
/// The version of the protocol.
pub(super) const VERSION: &str = "2023-06-01";

/// The body of a request to the server `origin`. The constant beginning is marked for the server's cache.
pub(super) fn body(model: &str, origin: &str, question: &Question<'_>) -> Map<String, Value> {
    let mut ids = CallIds::default();
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in question.messages {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let sent = sent_back(message, origin, &mut ids);
        let blocks = sent.unwrap_or_else(|| blocks(message, &ids));
        match messages.last_mut() {
            // Roles must alternate, so the results of one answer's calls share a message.
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    let messages: Vec<Value> =
        messages.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect();
    let tools: Vec<Value> = question
        .tools
        .iter()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.input_schema }))
        .collect();
    let system =
        json!([{ "type": "text", "text": question.instructions, "cache_control": { "type": "ephemeral" } }]);
    let fields = [
        ("model", model.into()),
        ("system", system),
        ("messages", messages.into()),
        ("tools", tools.into()),
        ("stream", true.into()),
    ];
    fields.map(|(name, value): (&str, Value)| (name.to_owned(), value)).into_iter().collect()
}

/// The blocks of an answer as this server sent it, if it did.
fn sent_back<'a>(message: &'a Message, origin: &str, ids: &mut CallIds<'a>) -> Option<Vec<Value>> {
    let mut blocks = sent_message(message, origin)?.get("content")?.as_array()?.clone();
    let is_call = |block: &&mut Map<String, Value>| block.get("type").is_some_and(|kind| kind == TOOL_USE);
    let calls = blocks.iter_mut().filter_map(Value::as_object_mut).filter(is_call).collect();
    name_calls(calls, message, ids).then_some(blocks)
}

/// The message of an answer as it came; `None` if its parts say all of it.
pub(super) fn message(blocks: Vec<BlockDraft>, mut calls: Vec<SentCall>) -> Option<Value> {
    let is_of_text = |block: &BlockDraft| match block {
        BlockDraft::Call(_) => false,
        BlockDraft::Other { fields, .. } => fields.len() == 2 && fields.contains_key("text"),
    };
    if calls.is_empty() && blocks.iter().all(is_of_text) {
        return None;
    }
    let mut content: Vec<Value> = Vec::new();
    for block in blocks {
        match block {
            BlockDraft::Call(number) => {
                let place = calls.iter().position(|call| call.number == number);
                content.extend(place.map(|place| sent_call(calls.remove(place))));
            }
            BlockDraft::Other { mut fields, input, .. } => {
                if let Ok(input) = serde_json::from_str::<Value>(&input) {
                    fields.insert("input".to_owned(), input);
                }
                // An empty block is refused.
                let is_empty = |name: &str| fields.get(name).is_none_or(|text| text == "");
                if !is_empty("text") || fields.get("type").is_some_and(|kind| kind != "text") {
                    content.push(fields.into());
                }
            }
        }
    }
    content.extend(calls.into_iter().map(sent_call));
    Some(json!({ "role": "assistant", "content": content }))
}

fn sent_call(call: SentCall) -> Value {
    let SentCall { id, name, params, mut fields, .. } = call;
    let own = json!({ "type": TOOL_USE, "id": id, "name": name, "input": params });
    fields.extend(own.as_object().cloned().unwrap_or_default());
    fields.into()
}

fn blocks(message: &Message, ids: &CallIds<'_>) -> Vec<Value> {
    let block = |part: &MessagePart| match part {
        MessagePart::Text { text } => json!({ "type": "text", "text": text }),
        MessagePart::ToolCall { call_id, name, params } => {
            json!({ "type": "tool_use", "id": call_id, "name": name, "input": params })
        }
        MessagePart::ToolResult { call_id, is_error, text, .. } => {
            let (id, content) = (ids.of(call_id), result(text, pictures(message)));
            json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error })
        }
    };
    message.parts.iter().map(block).collect()
}

/// The content of a tool's result.
fn result(text: &str, pictures: &[Picture]) -> Value {
    if pictures.is_empty() {
        return text.into();
    }
    let picture = |Picture { media_type, data }: &Picture| {
        let source = json!({ "type": "base64", "media_type": media_type, "data": data });
        json!({ "type": "image", "source": source })
    };
    std::iter::once(json!({ "type": "text", "text": text })).chain(pictures.iter().map(picture)).collect()
}

/// Adds an event, or the whole message of a server that doesn't stream, to the draft; returns its text.
pub(super) fn read(draft: &mut AnswerDraft, said: &Value, is_whole: bool) -> String {
    let usage = |place: &str| said.pointer(place).filter(|usage| usage.is_object());
    if let Some(usage) = usage("/usage").or_else(|| usage("/message/usage")) {
        add_usage(draft, usage);
    }
    match said.get("type").and_then(Value::as_str).unwrap_or_default() {
        "content_block_start" => block(draft, said.get("content_block"), values::number(said.get("index"))),
        "content_block_delta" => delta(draft, said),
        "message_delta" => {
            draft.end_by(&values::text(said.pointer("/delta/stop_reason")));
            String::new()
        }
        "message_stop" => {
            draft.is_over = true;
            String::new()
        }
        _ if is_whole => {
            draft.end_by(&values::text(said.get("stop_reason")));
            draft.end_by("end_turn");
            let blocks = values::list(said.get("content"));
            blocks.into_iter().map(|content| block(draft, Some(content), None)).collect()
        }
        _ => String::new(),
    }
}

/// Adds the beginning of a block, which is the whole of it in an answer that is no stream.
fn block(draft: &mut AnswerDraft, content: Option<&Value>, index: Option<u64>) -> String {
    let Some(content) = content else { return String::new() };
    let text = |name: &str| values::text(content.get(name));
    let fields = content.as_object().cloned().unwrap_or_default();
    match text("type").as_str() {
        TOOL_USE => {
            let (id, name, arguments) = (text("id"), text("name"), String::new());
            let piece = CallPiece { index, id, name, arguments, fields };
            draft.blocks.push(BlockDraft::Call(draft.calls.len()));
            let is_empty = |input: &Value| input.as_object().is_some_and(Map::is_empty);
            draft.begin_call(piece, content.get("input").filter(|input| !is_empty(input)).cloned());
            String::new()
        }
        kind => {
            draft.begin_block(index, fields);
            if kind == "text" { draft.add_text(&text("text")) } else { String::new() }
        }
    }
}

fn delta(draft: &mut AnswerDraft, said: &Value) -> String {
    let delta = |name: &str| said.get("delta").and_then(|delta| delta.get(name));
    let index = values::number(said.get("index"));
    let kind = values::text(delta("type"));
    match kind.as_str() {
        "input_json_delta" => {
            let arguments = values::json_text(delta("partial_json"));
            if draft.has_block(index) {
                draft.add_input(index, &arguments);
            } else {
                draft.add_to_call(CallPiece { index, arguments, ..CallPiece::default() }, 0);
            }
            String::new()
        }
        "citations_delta" => {
            let citations = Value::Array(delta("citation").into_iter().cloned().collect());
            draft.add_to_block(index, None, &Map::from_iter([("citations".to_owned(), citations)]));
            String::new()
        }
        _ => {
            let mut piece = said.get("delta").and_then(Value::as_object).cloned().unwrap_or_default();
            piece.remove("type");
            let begun = match kind.as_str() {
                "text_delta" => Some("text"),
                "thinking_delta" | "signature_delta" => Some("thinking"),
                _ => None,
            };
            draft.add_to_block(index, begun, &piece);
            if kind == "text_delta" { draft.add_text(&values::text(delta("text"))) } else { String::new() }
        }
    }
}

/// Adds token counts so far; later counts replace earlier ones. Reasoning is part of the output, and told beside it.
fn add_usage(draft: &mut AnswerDraft, usage: &Value) {
    let count = |name: &str| values::count(usage.pointer(name));
    let tokens = &mut draft.tokens;
    let set = |known: &mut i64, told: Option<i64>| *known = told.unwrap_or(*known);
    set(&mut tokens.prompt, count("/input_tokens"));
    set(&mut tokens.cache_write, count("/cache_creation_input_tokens"));
    set(&mut tokens.cache_read, count("/cache_read_input_tokens"));
    if let Some(output) = count("/output_tokens") {
        let thought = count("/output_tokens_details/thinking_tokens").unwrap_or_default().min(output);
        (tokens.completion, tokens.reasoning) = (output - thought, thought);
    }
}
