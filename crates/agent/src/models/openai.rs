//! The protocol of chat completions: OpenAI, Ollama, vLLM and many others.

use domain::conversation::{Message, MessagePart, Role};
use domain::usage::TokenCounts;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::models::Question;
use crate::models::draft::AnswerDraft;

/// The end of a stream.
const DONE: &str = "[DONE]";

/// The body of a request.
pub(crate) fn body(model: &str, most_tokens: u32, question: &Question<'_>) -> Value {
    let mut messages = vec![json!({ "role": "system", "content": question.instructions })];
    for message in question.messages {
        push(&mut messages, message);
    }
    let mut body = json!({
        "model": model,
        "messages": messages,
        "max_completion_tokens": most_tokens,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
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
    if let (false, Some(body)) = (tools.is_empty(), body.as_object_mut()) {
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

/// Adds a chunk to the draft; returns its text.
pub(crate) fn read(draft: &mut AnswerDraft, data: &str) -> Result<Option<String>, String> {
    if data.trim() == DONE {
        (draft.is_complete, draft.is_over) = (true, true);
        return Ok(None);
    }
    let chunk: Chunk = serde_json::from_str(data).map_err(|error| error.to_string())?;
    if let Some(usage) = chunk.usage {
        draft.tokens = usage.tokens();
    }
    let Some(choice) = chunk.choices.into_iter().next() else { return Ok(None) };
    draft.is_complete |= choice.finish_reason.is_some();
    for call in choice.delta.tool_calls.unwrap_or_default() {
        let function = call.function.unwrap_or_default();
        let name = function.name.unwrap_or_default();
        draft.add_to_call(
            call.index,
            &call.id.unwrap_or_default(),
            &name,
            &function.arguments.unwrap_or_default(),
        );
    }
    Ok(choice.delta.content)
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<CompletionUsage>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: ChoiceDelta,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct ChoiceDelta {
    content: Option<String>,
    tool_calls: Option<Vec<ToolCallDelta>>,
}

#[derive(Deserialize)]
struct ToolCallDelta {
    index: Option<u64>,
    id: Option<String>,
    function: Option<Function>,
}

#[derive(Default, Deserialize)]
struct Function {
    name: Option<String>,
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct CompletionUsage {
    #[serde(default)]
    prompt_tokens: u32,
    #[serde(default)]
    completion_tokens: u32,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u32>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u32>,
}

impl CompletionUsage {
    /// The protocol counts cached tokens as prompt, and reasoning as completion; the ledger counts each once.
    fn tokens(&self) -> TokenCounts {
        let cached =
            self.prompt_tokens_details.as_ref().and_then(|details| details.cached_tokens).unwrap_or(0);
        let thought =
            self.completion_tokens_details.as_ref().and_then(|details| details.reasoning_tokens).unwrap_or(0);
        TokenCounts {
            prompt: self.prompt_tokens.saturating_sub(cached).into(),
            completion: self.completion_tokens.saturating_sub(thought).into(),
            reasoning: thought.into(),
            cache_write: 0,
            cache_read: cached.into(),
        }
    }
}
