//! Answers that go back to their server as they came. Servers refuse a tool loop without their reasoning, their signatures
//! and their own ids of calls, in which some hide a signature.

use std::collections::{HashMap, HashSet};

use domain::work::conversation::{Message, MessagePart, ModelContent, Picture};
use serde_json::{Map, Value};

/// A call of an answer, with all that its server sent.
#[derive(Clone, Debug)]
pub(super) struct SentCall {
    /// Its place among the calls of the draft.
    pub(super) number: usize,
    /// The server's id; may be empty.
    pub(super) id: String,
    /// The tool.
    pub(super) name: String,
    /// The arguments; none if the call can't be made.
    pub(super) params: Map<String, Value>,
    /// The fields of the call.
    pub(super) fields: Map<String, Value>,
}

/// The ids of calls in one request.
#[derive(Debug, Default)]
pub(super) struct CallIds<'a> {
    /// The servers' ids by ours.
    known: HashMap<&'a str, String>,
    used: HashSet<String>,
}

impl<'a> CallIds<'a> {
    /// The id of a call: that of the server, unless it gave none or one that another call has.
    pub(super) fn claim(&mut self, own: &'a str, sent: &str) -> String {
        if sent.is_empty() || !self.used.insert(sent.to_owned()) {
            return own.to_owned();
        }
        self.known.insert(own, sent.to_owned());
        sent.to_owned()
    }

    /// The id of the call that a result is of.
    pub(super) fn of(&self, own: &'a str) -> &str {
        self.known.get(own).map_or(own, String::as_str)
    }
}

/// The message of an answer as the server of `origin` sent it; `None` if another server did, or nothing more than parts is
/// known.
pub(super) fn sent_message<'a>(message: &'a Message, origin: &str) -> Option<&'a Value> {
    match message.model_content.as_ref()? {
        ModelContent::Answer { origin: sender, message } if sender == origin => Some(message),
        _ => None,
    }
}

/// The pictures of a tool's result.
pub(super) fn pictures(message: &Message) -> &[Picture] {
    match &message.model_content {
        Some(ModelContent::Pictures { pictures }) => pictures,
        _ => &[],
    }
}

/// Puts the ids of a request into the calls of a message; false if they are not those of its parts.
pub(super) fn name_calls<'a>(
    calls: Vec<&mut Map<String, Value>>,
    message: &'a Message,
    ids: &mut CallIds<'a>,
) -> bool {
    let own: Vec<&str> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            MessagePart::ToolCall { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect();
    if own.len() != calls.len() {
        return false;
    }
    for (call, own) in calls.into_iter().zip(own) {
        let sent = call.get("id").and_then(Value::as_str).unwrap_or_default();
        let id = ids.claim(own, sent);
        call.insert("id".to_owned(), id.into());
    }
    true
}

#[cfg(test)]
mod tests {
    use super::CallIds;

    #[test]
    fn a_servers_id_is_used_once() {
        let mut ids = CallIds::default();
        assert_eq!(ids.claim("call_1", "abc__thought__U0lH"), "abc__thought__U0lH");
        assert_eq!(ids.claim("call_2", "abc__thought__U0lH"), "call_2");
        assert_eq!(ids.claim("call_3", ""), "call_3");
        assert_eq!(
            [ids.of("call_1"), ids.of("call_2"), ids.of("call_9")],
            ["abc__thought__U0lH", "call_2", "call_9"]
        );
    }
}
