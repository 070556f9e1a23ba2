//! The received part of an answer, which the protocols extend event by event.

mod blocks;
mod calls;

use domain::Error;
use domain::work::usage::TokenCounts;
use serde_json::{Map, Value};

pub(super) use self::blocks::BlockDraft;
pub(super) use self::calls::{CallDraft, CallPiece};
use crate::models::json::join;
use crate::models::words::Secrets;

/// Reasons that end a whole answer. Words of all known servers, in lower case.
const WHOLE: [&str; 12] = [
    "stop",
    "end_turn",
    "stop_sequence",
    "eos",
    "eos_token",
    "end_of_turn",
    "complete",
    "completed",
    TOOL_CALLS,
    "tool_call",
    TOOL_USE,
    "function_call",
];
/// Reasons for which an answer is cut.
const CUT: [&str; 8] = [
    "length",
    "max_length",
    "max_tokens",
    "max_output_tokens",
    "max_completion_tokens",
    "model_length",
    "model_context_window_exceeded",
    "pause_turn",
];
const TOOL_CALLS: &str = "tool_calls";
const TOOL_USE: &str = "tool_use";

/// The received part of an answer.
#[derive(Debug, Default)]
pub(super) struct AnswerDraft {
    pub(super) text: String,
    pub(super) calls: Vec<CallDraft>,
    /// Other fields of a message of chat completions.
    pub(super) fields: Map<String, Value>,
    /// The blocks of one of Anthropic's messages.
    pub(super) blocks: Vec<BlockDraft>,
    pub(super) tokens: TokenCounts,
    /// The server's reason for the end, in lower case; empty before it.
    reason: String,
    /// The model's words for its refusal.
    pub(super) refusal: String,
    /// Nothing more follows, not even token counts.
    pub(super) is_over: bool,
    /// The high half of a character with which the text has ended.
    held: Option<u32>,
}

/// The end of an answer.
#[derive(Debug)]
pub(super) enum AnswerEnd {
    /// The model has said all of it.
    Whole,
    /// The server cut it, for this reason.
    Cut(String),
}

impl AnswerDraft {
    /// Adds a piece of text; returns it as it can be shown and stored.
    pub(super) fn add_text(&mut self, piece: &str) -> String {
        // PostgreSQL can't store NUL.
        let text = join(&mut self.held, piece).replace('\0', "");
        self.text.push_str(&text);
        text
    }

    /// Takes a reason for the end. Servers repeat it, and send empty ones before; the first that is not good counts.
    pub(super) fn end_by(&mut self, reason: &str) {
        let reason = reason.trim().to_ascii_lowercase().replace('-', "_");
        let is_told = !reason.is_empty() && reason != "null" && reason != "none";
        if is_told && (self.reason.is_empty() || WHOLE.contains(&self.reason.as_str())) {
            self.reason = reason;
        }
    }

    /// True once all text and calls have arrived.
    pub(super) fn has_end(&self) -> bool {
        !self.reason.is_empty()
    }

    /// The end of the answer.
    ///
    /// # Errors
    /// `MODEL_ERROR` if it has none, or the model or its server refused or failed.
    pub(super) fn end(&self, secrets: &Secrets) -> Result<AnswerEnd, Error> {
        let reason = self.reason.as_str();
        if !self.refusal.trim().is_empty() {
            return Err(secrets.failure("The model refused to answer", &self.refusal));
        }
        if reason.is_empty() {
            return Err(secrets.failure("The model's answer broke off before its end", ""));
        }
        if CUT.contains(&reason) {
            return Ok(AnswerEnd::Cut(reason.to_owned()));
        }
        if !WHOLE.contains(&reason) {
            return Err(secrets.failure("The model's server ended the answer as not complete", reason));
        }
        if [TOOL_CALLS, TOOL_USE].contains(&reason) && self.calls.is_empty() {
            return Err(secrets.failure("The model's server announced a call of a tool and sent none", ""));
        }
        Ok(AnswerEnd::Whole)
    }
}
