//! The protocol of Anthropic's messages.

use domain::conversation::{Message, MessagePart, Role};
use serde_json::{Map, Value, json};

use crate::models::Question;
use crate::models::draft::{AnswerDraft, CallPiece};
use crate::models::values;

/// The version of the protocol.
pub(super) const VERSION: &str = "2023-06-01";

/// The body of a request. The constant beginning is marked for the server's cache.
pub(super) fn body(model: &str, question: &Question<'_>) -> Map<String, Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in question.messages {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let blocks = blocks(message);
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

fn blocks(message: &Message) -> Vec<Value> {
    let block = |part: &MessagePart| match part {
        MessagePart::Text { text } => json!({ "type": "text", "text": text }),
        MessagePart::ToolCall { call_id, name, params } => {
            json!({ "type": "tool_use", "id": call_id, "name": name, "input": params })
        }
        MessagePart::ToolResult { call_id, is_error, text, .. } => {
            json!({ "type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": is_error })
        }
    };
    message.parts.iter().map(block).collect()
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
    match text("type").as_str() {
        "tool_use" => {
            let piece = CallPiece { index, id: text("id"), name: text("name"), arguments: String::new() };
            let is_empty = |input: &Value| input.as_object().is_some_and(Map::is_empty);
            draft.begin_call(piece, content.get("input").filter(|input| !is_empty(input)).cloned());
            String::new()
        }
        "text" => draft.add_text(&text("text")),
        _ => String::new(),
    }
}

fn delta(draft: &mut AnswerDraft, said: &Value) -> String {
    let delta = |name: &str| said.get("delta").and_then(|delta| delta.get(name));
    match values::text(delta("type")).as_str() {
        "text_delta" => draft.add_text(&values::text(delta("text"))),
        "input_json_delta" => {
            let index = values::number(said.get("index"));
            let arguments = values::json_text(delta("partial_json"));
            draft.add_to_call(CallPiece { index, arguments, ..CallPiece::default() }, 0);
            String::new()
        }
        _ => String::new(),
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
