//! The forms of a failure for clients and for storage.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::issue::Violation;
use super::{Code, Error, Issue};

/// The public part of a failure, as clients read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ErrorBody")]
pub struct Refusal {
    /// Stable: clients branch on it.
    pub code: Code,
    /// For people; may be reworded.
    pub message: String,
    /// Fields specific to this failure; absent if empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    pub details: Option<Value>,
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Self {
        let mut details = error.details.as_deref().cloned();
        if error.is_violation() {
            let issues: Vec<Issue> = error.violations.iter().map(Issue::from).collect();
            if let Some(details) = details.get_or_insert_with(|| json!({})).as_object_mut() {
                details.insert("issues".to_owned(), json!(issues));
                if error.omitted > 0 {
                    details.insert("omittedIssues".to_owned(), json!(error.omitted));
                }
            }
        }
        Self { code: error.code, message: error.to_string(), details }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let mut error = Self::new(refusal.code, refusal.message);
        error.details = refusal.details.map(Box::new);
        error
    }
}

/// An error in storage or on its way to another process. Its cause stays in the log of the first process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Stable code.
    pub code: Code,
    message: String,
    details: Option<Box<Value>>,
    violations: Vec<Violation>,
    #[serde(default)]
    omitted: usize,
    retry_after_secs: Option<u32>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Error { code, message, details, violations, omitted, retry_after_secs, source: _ } = error;
        Self { code, message, details, violations, omitted, retry_after_secs }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let Failure { code, message, details, violations, omitted, retry_after_secs } = failure;
        Self { code, message, details, violations, omitted, retry_after_secs, source: None }
    }
}
