//! The answer of a model as a stream: bounded in bytes, silence and time.

use std::io;
use std::time::Duration;

use domain::Result;
use domain::work::conversation::MessagePart;
use domain::work::usage::TokenCounts;
use futures_util::stream::StreamExt;
use reqwest::Response;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use crate::models::draft::{AnswerDraft, AnswerEnd};
use crate::models::events::{Event, Events};
use crate::models::merge::storable;
use crate::models::sent::SentCall;
use crate::models::words::{self, Secrets};
use crate::models::{ModelAnswer, UnusableCall, anthropic, failed, json, openai};

/// Longest time of an answer.
const MAX_TIME: Duration = Duration::from_secs(600);
/// Most calls of tools in one answer.
const MAX_CALLS: usize = 64;
/// Longest name of a tool that model servers accept.
const NAME_MAX_BYTES: usize = 64;
/// The beginning of the failure for an error within an answer.
const REPORTED: &str = "The model's server reported an error";

/// The protocol of a model server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModelProtocol {
    /// OpenAI's chat completions, which most servers offer.
    Openai,
    /// Anthropic's messages.
    Anthropic,
}

impl ModelProtocol {
    /// True if results of tools may hold pictures.
    pub(super) fn shows_pictures(self) -> bool {
        self == Self::Anthropic
    }
}

/// An answer that the model is giving.
pub struct AnswerStream {
    protocol: ModelProtocol,
    events: Events,
    draft: AnswerDraft,
    secrets: Secrets,
    silence: Duration,
    last_event: Instant,
    end: Instant,
}

impl AnswerStream {
    pub(super) fn new(
        protocol: ModelProtocol,
        response: Response,
        secrets: Secrets,
        silence: Duration,
    ) -> Self {
        let bytes =
            response.bytes_stream().map(|chunk| chunk.map_err(|error| io::Error::other(error.without_url())));
        Self::of(protocol, Events::new(bytes.boxed()), secrets, silence)
    }

    pub(super) fn of(protocol: ModelProtocol, events: Events, secrets: Secrets, silence: Duration) -> Self {
        let now = Instant::now();
        let draft = AnswerDraft::default();
        Self { protocol, events, draft, secrets, silence, last_event: now, end: now + MAX_TIME }
    }

    /// The next piece of text; `None` when the answer is complete. Cancel safe.
    ///
    /// # Errors
    /// `MODEL_ERROR` if the model falls silent, breaks off, or sends an invalid event, and if its server reports an error.
    pub async fn next(&mut self) -> Result<Option<String>> {
        while !self.draft.is_over {
            let wait = (self.last_event + self.silence).min(self.end);
            let event = match timeout_at(wait, self.events.next()).await {
                Ok(Ok(Some(event))) => event,
                Ok(Ok(None)) => break,
                // Nothing but counts could have followed.
                Ok(Err(_)) | Err(_) if self.draft.has_end() => break,
                Ok(Err(error)) => {
                    return Err(failed("The model's answer can't be read.").with_source(error.to_string()));
                }
                Err(_) => return Err(failed("The model fell silent, or did not come to an end.")),
            };
            self.last_event = Instant::now();
            let text = self.read(&event)?;
            if self.draft.calls.len() > MAX_CALLS {
                return Err(failed(format!("The model called more than {MAX_CALLS} tools at once.")));
            }
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// Adds an event to the draft; returns its text.
    fn read(&mut self, event: &Event) -> Result<String> {
        let Event { is_error, ref data, is_whole } = *event;
        let reported = |words: &str| self.secrets.failure(REPORTED, words);
        if data.trim().is_empty() && !is_error {
            return Ok(String::new());
        }
        if data.trim() == openai::DONE {
            self.draft.is_over = true;
            return Ok(String::new());
        }
        let said = match json::parse(data) {
            Ok(said) if is_error => {
                return Err(reported(&words::of_error(&said).unwrap_or_else(|| data.clone())));
            }
            Ok(said) => said,
            Err(_) if is_error => return Err(reported(data)),
            Err(_) if is_whole && data.trim_start().starts_with('<') => {
                return Err(self.secrets.failure("The model's server sent a page", &words::of_body(data)));
            }
            Err(error) => {
                return Err(failed("The model's answer can't be understood.").with_source(error.to_string()));
            }
        };
        if let Some(words) = words::of_error(&said) {
            return Err(reported(&words));
        }
        Ok(match self.protocol {
            ModelProtocol::Openai => openai::read(&mut self.draft, &said, is_whole),
            ModelProtocol::Anthropic => anthropic::read(&mut self.draft, &said, is_whole),
        })
    }

    /// The token counts that have arrived.
    pub fn tokens(&self) -> TokenCounts {
        self.draft.tokens
    }

    /// The whole answer, after [`AnswerStream::next`] has returned `None`.
    ///
    /// # Errors
    /// `MODEL_ERROR` if the answer has no end, the model refused, its server failed, or the answer is a text that was cut.
    pub fn answer(self) -> Result<ModelAnswer> {
        let end = self.draft.end(&self.secrets)?;
        let AnswerDraft { text, calls, tokens, fields, blocks, .. } = self.draft;
        let calls: Vec<_> = calls.into_iter().enumerate().filter(|(_, call)| !call.is_empty()).collect();
        let cut_call = match end {
            AnswerEnd::Whole => None,
            // The other calls are whole. The model reads that the last one is not, and can go on.
            AnswerEnd::Cut(reason) if !calls.is_empty() => {
                Some((calls.len() - 1, format!("The tool was not called: the answer was cut (`{reason}`).")))
            }
            AnswerEnd::Cut(reason) => {
                let message =
                    format!("The model's answer was cut by its server (`{reason}`); its beginning is kept.");
                return Err(failed(message));
            }
        };
        let mut answer = ModelAnswer { parts: Vec::new(), message: None, unusable: Vec::new(), tokens };
        if !text.is_empty() {
            answer.parts.push(MessagePart::Text { text: text.clone() });
        }
        let mut sent = Vec::new();
        for (position, (number, call)) in calls.into_iter().enumerate() {
            // A new id: a model may repeat its ids or give none. Its server gets its own again.
            let call_id = format!("call_{}", Uuid::new_v4().simple());
            let name = plain_name(&call.name);
            let why_cut = cut_call.as_ref().filter(|(cut, _)| *cut == position).map(|(_, why)| why.clone());
            let (id, fields) = (call.id.clone(), call.fields.clone());
            let params = match why_cut.map_or_else(|| call.params(), Err) {
                Ok(params) => without_nul(params),
                Err(reason) => {
                    let (call_id, name) = (call_id.clone(), name.clone());
                    answer.unusable.push(UnusableCall { call_id, name, reason: reason.replace('\0', "") });
                    Map::new()
                }
            };
            sent.push(SentCall { number, id, name: name.clone(), params: params.clone(), fields });
            answer.parts.push(MessagePart::ToolCall { call_id, name, params });
        }
        let message = match self.protocol {
            ModelProtocol::Openai => openai::message(fields, &text, sent),
            ModelProtocol::Anthropic => anthropic::message(blocks, sent),
        };
        answer.message = message.map(storable);
        Ok(answer)
    }
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
