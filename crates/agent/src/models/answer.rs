//! Hearing a model's answer: piece by piece, within bounds of bytes, silence and time.

use std::io;
use std::time::Duration;

use domain::Result;
use domain::conversation::Part;
use domain::edit::{DATA_MAX_DEPTH, depth};
use domain::id::ToolCallId;
use domain::time::Timestamp;
use domain::usage::TokenCounts;
use futures_util::stream::{BoxStream, StreamExt};
use reqwest::Response;
use serde::Deserialize;
use serde_json::{Map, Value};
use sse_stream::{Sse, SseStream};
use tokio::time::{Instant, timeout_at};

use crate::models::{Answer, anthropic, failed, openai};

/// Most bytes of an answer, as it is sent.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Longest time that an answer may take.
const MAX_TIME: Duration = Duration::from_secs(600);
/// Most calls of tools in one answer.
const MAX_CALLS: usize = 64;
/// Most levels of a call's arguments: those of an object's properties, and of what stands around them. What is deeper by
/// far could be stored, and never be read again.
const MAX_DEPTH: usize = DATA_MAX_DEPTH + 8;
/// Longest name of a tool that models' servers take.
const NAME_MAX_BYTES: usize = 64;

/// What a model's server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Protocol {
    /// Chat completions, as OpenAI has made them and most others speak them.
    Openai,
    /// Anthropic's messages.
    Anthropic,
}

/// An answer that is being given.
pub struct Hearing {
    protocol: Protocol,
    events: BoxStream<'static, Result<Sse, sse_stream::Error>>,
    draft: Draft,
    silence: Duration,
    heard: Instant,
    end: Instant,
}

/// What was heard of an answer so far.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) text: String,
    pub(crate) calls: Vec<CallDraft>,
    pub(crate) tokens: TokenCounts,
    /// The model has said all that it has to say.
    pub(crate) is_complete: bool,
    /// Nothing more follows, not even counts of tokens.
    pub(crate) is_over: bool,
}

/// A call of a tool, of which the arguments may still be coming.
#[derive(Debug, Default)]
pub(crate) struct CallDraft {
    /// The number by which later pieces name it, where the server numbers calls.
    pub(crate) index: Option<u64>,
    /// What the model calls it; empty where it says nothing.
    pub(crate) id: String,
    pub(crate) name: String,
    /// JSON.
    pub(crate) arguments: String,
}

impl Hearing {
    pub(crate) fn new(protocol: Protocol, response: Response, silence: Duration) -> Self {
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
            draft: Draft::default(),
            silence,
            heard: now,
            end: now + MAX_TIME,
        }
    }

    /// The next piece of text; `None` where the answer is complete. Nothing is lost where this is dropped in its wait.
    ///
    /// # Errors
    /// `MODEL_ERROR` where the model falls silent, breaks off, or says what can't be understood.
    pub async fn next(&mut self) -> Result<Option<String>> {
        while !self.draft.is_over {
            let wait = (self.heard + self.silence).min(self.end);
            let event = match timeout_at(wait, self.events.next()).await {
                Ok(Some(Ok(event))) => event,
                Ok(Some(Err(error))) => {
                    return Err(failed("The model's answer can't be read.").with_source(error.to_string()));
                }
                Ok(None) if self.draft.is_complete => break,
                Ok(None) => return Err(failed("The model's answer broke off.")),
                Err(_) => return Err(failed("The model fell silent, or did not come to an end.")),
            };
            self.heard = Instant::now();
            let Some(data) = event.data else { continue };
            let text = match self.protocol {
                Protocol::Openai => openai::read(&mut self.draft, &data),
                Protocol::Anthropic => anthropic::read(&mut self.draft, &data),
            };
            let text =
                text.map_err(|error| failed("The model's answer can't be understood.").with_source(error))?;
            if self.draft.calls.len() > MAX_CALLS {
                return Err(failed(format!("The model called more than {MAX_CALLS} tools at once.")));
            }
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                // What PostgreSQL can't store means nothing to anybody else.
                let text = text.replace('\0', "");
                self.draft.text.push_str(&text);
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// The tokens of which the model has told so far.
    pub fn tokens(&self) -> TokenCounts {
        self.draft.tokens
    }

    /// The whole answer, once [`Hearing::next`] has said that it is complete.
    ///
    /// # Errors
    /// `MODEL_ERROR` where a call's arguments are no JSON object, or nested too deeply.
    pub fn answer(self) -> Result<Answer> {
        let Draft { text, calls, tokens, .. } = self.draft;
        let mut parts = Vec::new();
        if !text.is_empty() {
            parts.push(Part::Text { text });
        }
        for call in calls {
            parts.push(call.part()?);
        }
        Ok(Answer { parts, tokens })
    }
}

impl Draft {
    /// Adds a piece of a call: of the one with this number, or without a number the last. An id that is not that call's
    /// begins a new one, as not every server counts.
    pub(crate) fn add_to_call(&mut self, index: Option<u64>, id: &str, name: &str, arguments: &str) {
        let known = match index {
            Some(_) => self.calls.iter_mut().rev().find(|call| call.index == index),
            None => self.calls.last_mut(),
        };
        match known.filter(|call| id.is_empty() || call.id == id) {
            Some(call) => {
                call.name.push_str(name);
                call.arguments.push_str(arguments);
            }
            None => {
                let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
                self.calls.push(CallDraft { index, id, name, arguments });
            }
        }
    }
}

impl CallDraft {
    /// The call under an id of our own: a model may say one twice, or none.
    fn part(self) -> Result<Part> {
        let arguments = if self.arguments.trim().is_empty() { "{}" } else { &self.arguments };
        let params: Map<String, Value> = serde_json::from_str(arguments).map_err(|error| {
            failed("The model called a tool with what is no JSON object.").with_source(error)
        })?;
        if params.values().map(depth).max().unwrap_or_default() >= MAX_DEPTH {
            let message =
                format!("The model called a tool with what is nested over {MAX_DEPTH} levels deep.");
            return Err(failed(message));
        }
        let call_id = format!("call_{}", ToolCallId::new(Timestamp::now()).0.simple());
        Ok(Part::ToolCall { call_id, name: plain_name(&self.name), params: without_nul(params) })
    }
}

/// The name of a tool as every server takes it: one that no tool can have would be refused with the whole conversation.
fn plain_name(name: &str) -> String {
    let plain = name.chars().filter(|c| *c != '\0').take(NAME_MAX_BYTES);
    let plain: String = plain.map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    if plain.is_empty() { "_".to_owned() } else { plain }
}

/// The arguments without the one character that PostgreSQL can't store.
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
