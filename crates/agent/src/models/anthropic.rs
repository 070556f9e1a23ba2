//! The protocol of Anthropic's messages.

use domain::conversation::{Message, MessagePart, Role};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::models::Question;
use crate::models::draft::AnswerDraft;

/// The version of the protocol.
pub(crate) const VERSION: &str = "2023-06-01";

/// The body of a request. The constant beginning is marked for the server's cache.
pub(crate) fn body(model: &str, most_tokens: u32, question: &Question<'_>) -> Value {
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
    json!({
        "model": model,
        "max_tokens": most_tokens,
        "system": [{ "type": "text", "text": question.instructions, "cache_control": { "type": "ephemeral" } }],
        "messages": messages,
        "tools": tools,
        "stream": true,
    })
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

/// Adds an event to the draft; returns its text.
pub(crate) fn read(draft: &mut AnswerDraft, data: &str) -> Result<Option<String>, String> {
    match serde_json::from_str(data).map_err(|error| error.to_string())? {
        Event::MessageStart { message } => message.usage.add_to(draft),
        Event::ContentBlockStart { index, content_block: Block::ToolUse { id, name } } => {
            draft.add_to_call(Some(index), &id, &name, "");
        }
        Event::ContentBlockDelta { delta: ContentBlockDelta::Text { text }, .. } => return Ok(Some(text)),
        Event::ContentBlockDelta { index, delta: ContentBlockDelta::InputJson { partial_json } } => {
            draft.add_to_call(Some(index), "", "", &partial_json);
        }
        Event::MessageDelta { usage, delta } => {
            usage.unwrap_or_default().add_to(draft);
            draft.is_complete |= delta.is_some_and(|delta| delta.stop_reason.is_some());
        }
        Event::MessageStop => (draft.is_complete, draft.is_over) = (true, true),
        Event::Error { error } => return Err(error.kind),
        Event::ContentBlockStart { .. } | Event::ContentBlockDelta { .. } | Event::Other => {}
    }
    Ok(None)
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: MessageStart,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: ContentBlockDelta,
    },
    MessageDelta {
        usage: Option<Usage>,
        delta: Option<Stop>,
    },
    MessageStop,
    Error {
        error: ErrorDetail,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct MessageStart {
    #[serde(default)]
    usage: Usage,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    ToolUse {
        id: String,
        name: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentBlockDelta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Stop {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct ErrorDetail {
    #[serde(rename = "type")]
    kind: String,
}

/// Token counts so far; later counts replace earlier ones. Reasoning is part of the output.
#[derive(Default, Deserialize)]
struct Usage {
    input_tokens: Option<u32>,
    output_tokens: Option<u32>,
    cache_creation_input_tokens: Option<u32>,
    cache_read_input_tokens: Option<u32>,
}

impl Usage {
    fn add_to(&self, draft: &mut AnswerDraft) {
        let tokens = &mut draft.tokens;
        let set = |count: &mut i64, said: Option<u32>| *count = said.map_or(*count, i64::from);
        set(&mut tokens.prompt, self.input_tokens);
        set(&mut tokens.completion, self.output_tokens);
        set(&mut tokens.cache_write, self.cache_creation_input_tokens);
        set(&mut tokens.cache_read, self.cache_read_input_tokens);
    }
}
