//! The answer of a model as a stream: bounded in bytes, silence and time.

use std::io;
use std::time::Duration;

use domain::Result;
use domain::conversation::MessagePart;
use domain::edit::{DATA_MAX_DEPTH, depth};
use domain::usage::TokenCounts;
use futures_util::stream::{BoxStream, StreamExt};
use reqwest::Response;
use serde::Deserialize;
use serde_json::{Map, Value};
use sse_stream::{Sse, SseStream};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::models::draft::{AnswerDraft, CallDraft};
use crate::models::{ModelAnswer, anthropic, failed, openai};

/// Most bytes of an answer as sent by the server.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Longest time of an answer.
const MAX_TIME: Duration = Duration::from_secs(600);
/// Most calls of tools in one answer.
const MAX_CALLS: usize = 64;
/// Most levels of a call's arguments: those of an object's properties and of the fields around them. JSON that is deeper
/// by far could be stored, but not read back.
const MAX_DEPTH: usize = DATA_MAX_DEPTH + 8;
/// Longest name of a tool that model servers accept.
const NAME_MAX_BYTES: usize = 64;

/// The protocol of a model server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModelProtocol {
    /// OpenAI's chat completions, which most servers offer.
    Openai,
    /// Anthropic's messages.
    Anthropic,
}

/// An answer that the model is giving.
pub struct AnswerStream {
    protocol: ModelProtocol,
    events: BoxStream<'static, Result<Sse, sse_stream::Error>>,
    draft: AnswerDraft,
    silence: Duration,
    last_event: Instant,
    end: Instant,
}

impl AnswerStream {
    pub(crate) fn new(protocol: ModelProtocol, response: Response, silence: Duration) -> Self {
        let mut received = 0;
        let bytes = response.bytes_stream().map(move |chunk| {
            let chunk = chunk.map_err(|error| io::Error::other(error.without_url()))?;
            received += chunk.len();
            if received > MAX_BYTES { Err(io::Error::other("the answer is too large")) } else { Ok(chunk) }
        });
        let now = Instant::now();
        Self {
            protocol,
            events: SseStream::from_bytes_stream(bytes).boxed(),
            draft: AnswerDraft::default(),
            silence,
            last_event: now,
            end: now + MAX_TIME,
        }
    }

    /// The next piece of text; `None` when the answer is complete. Cancel safe.
    ///
    /// # Errors
    /// `MODEL_ERROR` if the model falls silent, breaks off, or sends an invalid event.
    pub async fn next(&mut self) -> Result<Option<String>> {
        while !self.draft.is_over {
            let wait = (self.last_event + self.silence).min(self.end);
            let event = match timeout_at(wait, self.events.next()).await {
                Ok(Some(Ok(event))) => event,
                Ok(Some(Err(error))) => {
                    return Err(failed("The model's answer can't be read.").with_source(error.to_string()));
                }
                Ok(None) if self.draft.is_complete => break,
                Ok(None) => return Err(failed("The model's answer broke off.")),
                Err(_) => return Err(failed("The model fell silent, or did not come to an end.")),
            };
            self.last_event = Instant::now();
            let Some(data) = event.data else { continue };
            let text = match self.protocol {
                ModelProtocol::Openai => openai::read(&mut self.draft, &data),
                ModelProtocol::Anthropic => anthropic::read(&mut self.draft, &data),
            };
            let text =
                text.map_err(|error| failed("The model's answer can't be understood.").with_source(error))?;
            if self.draft.calls.len() > MAX_CALLS {
                return Err(failed(format!("The model called more than {MAX_CALLS} tools at once.")));
            }
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                // PostgreSQL can't store NUL.
                let text = text.replace('\0', "");
                self.draft.text.push_str(&text);
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// The token counts that have arrived.
    pub fn tokens(&self) -> TokenCounts {
        self.draft.tokens
    }

    /// The whole answer, after [`AnswerStream::next`] has returned `None`.
    ///
    /// # Errors
    /// `MODEL_ERROR` if the arguments of a call are not a JSON object, or are nested too deeply.
    pub fn answer(self) -> Result<ModelAnswer> {
        let AnswerDraft { text, calls, tokens, .. } = self.draft;
        let mut parts = Vec::new();
        if !text.is_empty() {
            parts.push(MessagePart::Text { text });
        }
        for call in calls {
            parts.push(part(call)?);
        }
        Ok(ModelAnswer { parts, tokens })
    }
}

/// The call, under a new id: a model may repeat its ids or give none.
fn part(call: CallDraft) -> Result<MessagePart> {
    let arguments = if call.arguments.trim().is_empty() { "{}" } else { &call.arguments };
    let params: Map<String, Value> = serde_json::from_str(arguments).map_err(|error| {
        failed("The model called a tool with arguments that are not a JSON object.").with_source(error)
    })?;
    if params.values().map(depth).max().unwrap_or_default() >= MAX_DEPTH {
        let message = format!("The model called a tool with what is nested over {MAX_DEPTH} levels deep.");
        return Err(failed(message));
    }
    let call_id = format!("call_{}", Uuid::new_v4().simple());
    Ok(MessagePart::ToolCall { call_id, name: plain_name(&call.name), params: without_nul(params) })
}

/// A name that every server accepts. A server that refuses a name refuses the whole conversation.
fn plain_name(name: &str) -> String {
    let plain = name.chars().filter(|c| *c != '\0').take(NAME_MAX_BYTES);
    let plain: String = plain.map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    if plain.is_empty() { "_".to_owned() } else { plain }
}

/// The arguments without NUL, which PostgreSQL can't store.
fn without_nul(params: Map<String, Value>) -> Map<String, Value> {
    fn clean(value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(text.replace('\0', "")),
            Value::Array(values) => values.into_iter().map(clean).collect(),
            Value::Object(fields) => Value::Object(without_nul(fields)),
            value => value,
        }
    }
    params.into_iter().map(|(name, value)| (name.replace('\0', ""), clean(value))).collect()
}
