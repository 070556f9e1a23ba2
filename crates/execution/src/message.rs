//! Messages between a worker and its host.

use serde::{Deserialize, Serialize};

/// A call of the code to its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Sends an HTTP request.
    Fetch {
        /// HTTP method.
        method: String,
        /// Target of the request.
        url: String,
        /// Header fields.
        headers: Vec<(String, String)>,
        /// Body.
        body: Vec<u8>,
    },
    /// Delays the answer.
    Sleep {
        /// Delay.
        millis: u32,
    },
    /// Creates an evaluation run.
    CreateEvaluationRun,
}

/// The head of a worker's message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum WorkerMessage {
    /// The worker is confined and waits for the code.
    Ready {},
    /// A call to send an HTTP request, whose body follows the head. `id` is repeated by the answer.
    Fetch { id: u64, method: String, url: String, headers: Vec<(String, String)> },
    /// A call to delay the answer.
    Sleep { id: u64, millis: u32 },
    /// A call to create an evaluation run.
    CreateEvaluationRun { id: u64 },
    /// A call for the file of a time zone; for the names of all, one a line, without a name.
    Zone { id: u64, name: String },
    /// The code ended.
    Completed {},
    /// The code ended with an uncaught error, whose text follows the head.
    Failed {},
    /// The code exceeded its memory.
    OutOfMemory {},
}

/// The host's answer to a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallAnswer {
    /// HTTP status.
    pub status: u16,
    /// Header fields.
    pub headers: Vec<(String, String)>,
    /// Body, which follows the head.
    #[serde(skip)]
    pub body: Vec<u8>,
}

/// The head of a message to a worker.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AnswerHead<'a> {
    pub(crate) id: u64,
    /// The answer, if the call succeeded.
    #[serde(flatten)]
    pub(crate) answer: Option<&'a CallAnswer>,
    /// Reason of a failed call, for people.
    pub(crate) error: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::WorkerMessage;

    #[test]
    fn a_head_is_one_of_the_known_messages() {
        let sent = |text: &str| serde_json::from_str::<WorkerMessage>(text);
        let sleep = sent(r#"{"id":7,"kind":"sleep","millis":5}"#).unwrap();
        assert_eq!(sleep, WorkerMessage::Sleep { id: 7, millis: 5 });
        let create = sent(r#"{"id":1,"kind":"createEvaluationRun"}"#).unwrap();
        assert_eq!(create, WorkerMessage::CreateEvaluationRun { id: 1 });
        assert_eq!(sent(r#"{"kind":"completed"}"#).unwrap(), WorkerMessage::Completed {});
        for bad in [
            "{}",
            "[]",
            r#"{"id":1}"#,
            r#"{"id":1,"kind":"open"}"#,
            r#"{"id":-1,"kind":"sleep","millis":1}"#,
            r#"{"kind":"ready","more":1}"#,
        ] {
            assert!(sent(bad).is_err(), "{bad}");
        }
    }
}
