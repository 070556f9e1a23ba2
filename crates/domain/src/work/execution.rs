//! Executions of Code objects, and the evaluation runs that they request.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::content::object::{CODE_TYPE, Object};
use crate::content::project::BranchName;
use crate::id::{EvaluationRunId, ExecutionId, ObjectId, ProjectId, SessionId, UserId};
use crate::time::Timestamp;
use crate::{Code, Error, Result, Rule};

/// Longest input of an execution, in bytes of its JSON.
pub const INPUT_MAX_BYTES: usize = 256 * 1024;
/// Most output of an execution that is kept, in bytes. The rest is discarded.
pub const OUTPUT_MAX_BYTES: usize = 256 * 1024;

/// The input of an execution: values by name, with their numbers as they were sent. A float has not all integers.
pub type ExecutionInput = BTreeMap<String, Box<RawValue>>;

/// A language of executable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ExecutionLanguage")]
pub enum Language {
    /// ECMAScript, run by QuickJS.
    JavaScript,
    /// Python, run by the deployment's CPython.
    Python,
}

/// A language of executed code as this deployment runs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LanguageVersion {
    /// The language.
    pub language: Language,
    /// The interpreter and its version; absent if the deployment can't run it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Language {
    /// The language with this name, without regard to case.
    pub fn named(name: &str) -> Option<Self> {
        [Self::JavaScript, Self::Python].into_iter().find(|known| known.as_str().eq_ignore_ascii_case(name))
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JavaScript => "javascript",
            Self::Python => "python",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The state of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ExecutionState")]
pub enum ExecutionState {
    /// Queued.
    Queued,
    /// In progress.
    Running,
    /// The code ended without an error.
    Completed,
    /// The code failed or was terminated.
    Failed,
    /// A user stopped it or closed its session.
    Stopped,
}

/// The reason of a failure. Clients branch on it, so a name never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "ExecutionFailureCode")]
pub enum ExecutionFailureCode {
    /// The code raised an unhandled error or has a syntax error.
    UncaughtError,
    /// It exceeded its limit of time or processor time.
    TimedOut,
    /// It exceeded its memory limit.
    OutOfMemory,
    /// It exceeded its output limit.
    OutputTooLarge,
    /// Its process crashed.
    Crashed,
    /// This deployment has no engine for the language.
    LanguageUnavailable,
    /// The deployment's kernel can't confine it; it was not started.
    SandboxUnavailable,
    /// The user or key that authorised it lost access to the session.
    CredentialEnded,
    /// The service failed, or the process that ran it is gone.
    ServiceFailed,
}

/// The failure of an execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ExecutionFailure")]
pub struct ExecutionFailure {
    /// Stable: clients branch on it.
    pub code: ExecutionFailureCode,
    /// For people; may be reworded.
    pub message: String,
}

impl ExecutionFailure {
    /// A failure with this message.
    pub fn new(code: ExecutionFailureCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// An execution without its output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExecutionRecord {
    /// Id.
    pub id: ExecutionId,
    /// Its session.
    pub session: SessionId,
    /// The Code object, which may have changed or been deleted since.
    pub object: ObjectId,
    /// The language of its code.
    pub language: Language,
    /// State.
    pub state: ExecutionState,
    /// The reason of a failed execution.
    pub failure: Option<ExecutionFailure>,
    /// True if output was discarded.
    pub truncated: bool,
    /// The user who started it.
    pub created_by: UserId,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Time of its start.
    pub started_at: Option<Timestamp>,
    /// Time of its end.
    pub ended_at: Option<Timestamp>,
}

/// An evaluation run: a sandbox that an execution requested, with a separate grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvaluationRunRecord {
    /// Id.
    pub id: EvaluationRunId,
    /// The execution that requested it.
    pub execution: ExecutionId,
    /// The session, whose end revokes its grant.
    pub session: SessionId,
    /// The session's project.
    pub project: ProjectId,
    /// The session's branch.
    pub branch: BranchName,
    /// Time of creation.
    pub created_at: Timestamp,
}

/// The executable content of a Code object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The language.
    pub language: Language,
    /// Source text.
    pub source: String,
}

impl Program {
    /// Reads the program of an object.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if it is not a Code object or has no text; `LANGUAGE_NOT_SUPPORTED`.
    pub fn of(object: &Object) -> Result<Self> {
        let refused = |message: &str| Error::invalid("objectId", Rule::State, message);
        if object.object_type != CODE_TYPE {
            return Err(refused("is no object of type Code"));
        }
        let text = |field: &str| object.data.get(field).and_then(Value::as_str);
        let named = text("language").unwrap_or_default();
        let language = Language::named(named).ok_or_else(|| not_supported(named))?;
        let source = text("text").ok_or_else(|| refused("holds no text"))?.to_owned();
        Ok(Self { language, source })
    }
}

/// Checks the input of an execution.
///
/// # Errors
/// `INVALID_REQUEST` if it exceeds [`INPUT_MAX_BYTES`], or is nested too deeply.
pub fn check_input(input: &ExecutionInput) -> Result<()> {
    let json = serde_json::to_vec(input).map_err(Error::internal)?;
    if json.len() > INPUT_MAX_BYTES {
        return Err(Error::broken("input", Rule::MaxBytes(INPUT_MAX_BYTES)));
    }
    // Values that were only skipped so far may be nested deeper than any parser reads.
    match serde_json::from_slice::<Value>(&json) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::broken("input", Rule::Syntax)),
    }
}

fn not_supported(language: &str) -> Error {
    let message = "Only code in JavaScript and in Python can be executed.";
    let details = serde_json::json!({ "language": language });
    Error::new(Code::LanguageNotSupported, message).with_details(details)
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn language_names_ignore_case() {
        assert_eq!(Language::named("JavaScript"), Some(Language::JavaScript));
        assert_eq!(Language::named("python"), Some(Language::Python));
        for language in [Language::JavaScript, Language::Python] {
            assert_eq!(serde_json::to_value(language).unwrap(), language.as_str());
        }
        for other in ["", "TypeScript", "Java", "python3"] {
            assert_eq!(Language::named(other), None, "{other}");
        }
    }
}
