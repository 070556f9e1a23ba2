//! The received part of an answer, which the protocols extend event by event.

use domain::usage::TokenCounts;

/// The received part of an answer.
#[derive(Debug, Default)]
pub(crate) struct AnswerDraft {
    pub(crate) text: String,
    pub(crate) calls: Vec<CallDraft>,
    pub(crate) tokens: TokenCounts,
    /// All text and calls have arrived.
    pub(crate) is_complete: bool,
    /// Nothing more follows, not even token counts.
    pub(crate) is_over: bool,
}

/// A call of a tool whose arguments may be incomplete.
#[derive(Debug, Default)]
pub(crate) struct CallDraft {
    /// The number by which later pieces refer to it, if the server numbers calls.
    pub(crate) index: Option<u64>,
    /// The model's own id; may be empty.
    pub(crate) id: String,
    pub(crate) name: String,
    /// JSON.
    pub(crate) arguments: String,
}

impl AnswerDraft {
    /// Adds a piece to the call with this number, or to the last call if there is no number. A new id begins a new call,
    /// because not every server numbers calls.
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
