//! Messages between a worker and its host.

use serde::{Deserialize, Serialize};

/// A call of the code to its host.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Ask {
    /// Sends an HTTP request.
    Fetch {
        /// HTTP method.
        method: String,
        /// Target of the request.
        url: String,
        /// Header fields.
        headers: Vec<(String, String)>,
        /// Body, which follows the head.
        #[serde(skip)]
        body: Vec<u8>,
    },
    /// Delays the answer.
    Sleep {
        /// Delay.
        millis: u32,
    },
    /// Creates an evaluation run.
    CreateEvaluationRun {},
}

/// The head of a worker's message.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum WorkerMessage {
    /// A call.
    Ask {
        /// Number of the call, which the answer repeats.
        id: u64,
        #[serde(flatten)]
        ask: Ask,
    },
    /// The end of the code.
    Ended(Ended),
}

/// The end of the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// The uncaught error, or null. Required.
    #[serde(deserialize_with = "Option::deserialize")]
    pub(crate) ended: Option<String>,
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
    use super::{Ask, Ended, WorkerMessage};

    #[test]
    fn a_head_is_a_call_or_the_end() {
        let sent = |text: &str| serde_json::from_str::<WorkerMessage>(text).unwrap();
        let WorkerMessage::Ask { id: 7, ask } = sent(r#"{"id":7,"kind":"sleep","millis":5}"#) else {
            panic!()
        };
        assert_eq!(ask, Ask::Sleep { millis: 5 });
        let WorkerMessage::Ask { ask, .. } = sent(r#"{"id":1,"kind":"createEvaluationRun"}"#) else {
            panic!()
        };
        assert_eq!(ask, Ask::CreateEvaluationRun {});
        let WorkerMessage::Ended(Ended { ended }) = sent(r#"{"ended":"Error: no"}"#) else { panic!() };
        assert_eq!(ended.as_deref(), Some("Error: no"));
        assert!(matches!(sent(r#"{"ended":null}"#), WorkerMessage::Ended(Ended { ended: None })));
        for bad in
            ["{}", "[]", r#"{"id":1}"#, r#"{"id":1,"kind":"open"}"#, r#"{"id":-1,"kind":"sleep","millis":1}"#]
        {
            assert!(serde_json::from_str::<WorkerMessage>(bad).is_err(), "{bad}");
        }
    }
}
