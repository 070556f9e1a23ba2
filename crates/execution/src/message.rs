//! What a worker and its host say to each other.

use serde::{Deserialize, Serialize};

/// What code asks its host to do.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Ask {
    /// Send a request.
    Fetch {
        /// Its method.
        method: String,
        /// Where to.
        url: String,
        /// Its headers.
        headers: Vec<(String, String)>,
        /// Its body, which follows the head.
        #[serde(skip)]
        body: Vec<u8>,
    },
    /// Answer later.
    Sleep {
        /// How much later.
        millis: u32,
    },
    /// Make an evaluation run.
    CreateEvaluationRun {},
}

/// The head of what a worker sends.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Sent {
    /// It asks for something.
    Ask {
        /// What the answer repeats.
        id: u64,
        #[serde(flatten)]
        ask: Ask,
    },
    /// The code has ended.
    Ended(Ended),
}

/// How code ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    /// The error that it did not handle; null where it ended by itself, and never left out.
    #[serde(deserialize_with = "Option::deserialize")]
    pub(crate) ended: Option<String>,
}

/// What a host answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body, which follows the head.
    #[serde(skip)]
    pub body: Vec<u8>,
}

/// The head of what a worker receives.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answered<'a> {
    pub(crate) id: u64,
    /// What came of it.
    #[serde(flatten)]
    pub(crate) answer: Option<&'a Answer>,
    /// Why nothing did, for people.
    pub(crate) error: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::{Ask, Ended, Sent};

    #[test]
    fn a_head_is_a_question_or_the_end() {
        let sent = |text: &str| serde_json::from_str::<Sent>(text).unwrap();
        let Sent::Ask { id: 7, ask } = sent(r#"{"id":7,"kind":"sleep","millis":5}"#) else { panic!() };
        assert_eq!(ask, Ask::Sleep { millis: 5 });
        let Sent::Ask { ask, .. } = sent(r#"{"id":1,"kind":"createEvaluationRun"}"#) else { panic!() };
        assert_eq!(ask, Ask::CreateEvaluationRun {});
        let Sent::Ended(Ended { ended }) = sent(r#"{"ended":"Error: no"}"#) else { panic!() };
        assert_eq!(ended.as_deref(), Some("Error: no"));
        assert!(matches!(sent(r#"{"ended":null}"#), Sent::Ended(Ended { ended: None })));
        for bad in
            ["{}", "[]", r#"{"id":1}"#, r#"{"id":1,"kind":"open"}"#, r#"{"id":-1,"kind":"sleep","millis":1}"#]
        {
            assert!(serde_json::from_str::<Sent>(bad).is_err(), "{bad}");
        }
    }
}
