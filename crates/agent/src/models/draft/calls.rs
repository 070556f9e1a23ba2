//! Calls of tools, put together of pieces. Servers number calls and give them ids, but not all, and not always in a way
//! that tells two calls apart, or keeps one together.

use domain::content::edit::{DATA_MAX_DEPTH, depth};
use serde_json::{Map, Value};

use crate::models::draft::AnswerDraft;
use crate::models::json::joined;
use crate::models::merge::merge;

/// Most levels of a call's arguments: those of an object's properties and of the fields around them. JSON that is deeper
/// by far could be stored, but not read back.
const MAX_DEPTH: usize = DATA_MAX_DEPTH + 8;
/// Longest beginning of broken arguments that the model reads again, in characters.
const SHOWN_MAX_CHARS: usize = 300;

/// A call of a tool whose arguments may be incomplete.
#[derive(Debug, Default)]
pub(in crate::models) struct CallDraft {
    /// The number by which later pieces refer to it, if the server numbers calls.
    index: Option<u64>,
    /// The server's id; may be empty.
    pub(in crate::models) id: String,
    pub(in crate::models) name: String,
    /// JSON.
    arguments: String,
    /// The arguments that came with the beginning of a block, before any piece.
    given: Option<Value>,
    /// All fields that the server sent.
    pub(in crate::models) fields: Map<String, Value>,
}

/// A piece of a call. Each part of it may be missing.
#[derive(Debug, Default)]
pub(in crate::models) struct CallPiece {
    pub(in crate::models) index: Option<u64>,
    pub(in crate::models) id: String,
    pub(in crate::models) name: String,
    pub(in crate::models) arguments: String,
    /// All fields of the piece.
    pub(in crate::models) fields: Map<String, Value>,
}

impl AnswerDraft {
    /// Begins a call whose later pieces have its number.
    pub(in crate::models) fn begin_call(&mut self, piece: CallPiece, given: Option<Value>) {
        let CallPiece { index, id, name, arguments, fields } = piece;
        self.calls.push(CallDraft { index, id, name, arguments, given, fields });
    }

    /// Adds a piece to its call, or begins another one with it. `begun` is the number of calls before the event: two named
    /// pieces of one event are of two calls.
    pub(in crate::models) fn add_to_call(&mut self, piece: CallPiece, begun: usize) {
        let known = self.position(&piece);
        let call = known.and_then(|position| Some((position, self.calls.get_mut(position)?)));
        match call {
            Some((position, call))
                if !(call.is_before(&piece) || position >= begun && !piece.name.is_empty()) =>
            {
                call.extend(piece);
            }
            _ => self.begin_call(piece, None),
        }
    }

    /// The call that a piece seems to be of.
    fn position(&self, piece: &CallPiece) -> Option<usize> {
        let last = |is_it: &dyn Fn(&CallDraft) -> bool| self.calls.iter().rposition(is_it);
        let by_id = || last(&|call| !piece.id.is_empty() && call.id == piece.id);
        match piece.index {
            Some(_) => {
                let numbered = |call: &CallDraft| call.index == piece.index;
                let exact = last(&|call| numbered(call) && !piece.id.is_empty() && call.id == piece.id);
                // A piece of arguments under a number that nothing has begun: the numbers mean nothing.
                let is_rest = piece.name.is_empty() && !piece.arguments.is_empty();
                let rest =
                    || if is_rest { by_id().or_else(|| self.calls.len().checked_sub(1)) } else { None };
                exact.or_else(|| last(&numbered)).or_else(rest)
            }
            None => by_id().or_else(|| self.calls.len().checked_sub(1)),
        }
    }
}

impl CallDraft {
    /// True if a piece begins a call after this one.
    fn is_before(&self, piece: &CallPiece) -> bool {
        if piece.name.is_empty() || self.name.is_empty() {
            return false;
        }
        let has_other_id = !piece.id.is_empty() && !self.id.is_empty() && piece.id != self.id;
        let has_same_id = !piece.id.is_empty() && piece.id == self.id;
        let has_same_number = piece.index.is_some() && piece.index == self.index;
        let has_other_name = piece.name != self.name;
        if self.arguments.trim().is_empty() {
            return match (has_other_id, has_same_id) {
                // Some servers give each piece a new id, and repeat the name.
                (true, _) => !has_same_number || has_other_name || piece.arguments.is_empty(),
                (_, true) => false,
                // Pieces of a name come before all arguments.
                _ => has_other_name && (!has_same_number || !piece.arguments.is_empty()),
            };
        }
        if self.is_whole() {
            let is_repeated = has_same_id && piece.arguments == self.arguments;
            return has_other_id || has_other_name || !piece.arguments.is_empty() && !is_repeated;
        }
        has_other_name
    }

    /// Adds the rest of the call.
    fn extend(&mut self, piece: CallPiece) {
        let is_repeated = self.is_whole() && !piece.name.is_empty();
        merge(&mut self.fields, &piece.fields);
        if self.id.is_empty() {
            self.id = piece.id;
        }
        if piece.name != self.name {
            self.name.push_str(&piece.name);
        }
        if !is_repeated {
            self.arguments.push_str(&piece.arguments);
        }
    }

    /// True if nothing can follow the arguments.
    fn is_whole(&self) -> bool {
        self.arguments.trim_start().starts_with('{')
            && serde_json::from_str::<serde::de::IgnoredAny>(&self.arguments).is_ok()
    }

    /// True if it is a number or an id without a call.
    pub(in crate::models) fn is_empty(&self) -> bool {
        self.name.is_empty() && self.arguments.trim().is_empty()
    }

    /// The arguments, or what is wrong with them, for the model.
    pub(in crate::models) fn params(self) -> Result<Map<String, Value>, String> {
        let text = joined(&self.arguments);
        let mut text = text.trim();
        // Some gateways begin with the empty arguments of a block, and let the whole ones follow.
        if let Some(rest) = text.strip_prefix("{}").filter(|rest| rest.trim_start().starts_with('{')) {
            text = rest;
        }
        let value = match (text, self.given) {
            ("", Some(Value::String(given))) => {
                serde_json::from_str(&given).map_err(|error| refusal(&error, &given))?
            }
            ("", Some(given)) => given,
            ("", None) => Value::Null,
            _ => serde_json::from_str(text).map_err(|error| refusal(&error, text))?,
        };
        match value {
            Value::Null => Ok(Map::new()),
            Value::Object(params) if params.values().map(depth).max().unwrap_or_default() < MAX_DEPTH => {
                Ok(params)
            }
            Value::Object(_) => Err(format!(
                "The tool was not called: its arguments are nested over {MAX_DEPTH} levels deep."
            )),
            other => Err(refusal(&"it is another type", &other.to_string())),
        }
    }
}

fn refusal(reason: &dyn std::fmt::Display, arguments: &str) -> String {
    let shown: String = arguments.chars().take(SHOWN_MAX_CHARS).collect();
    format!("The tool was not called: its arguments are not one JSON object ({reason}). They begin: {shown}")
}
