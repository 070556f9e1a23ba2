//! Executions of Code objects, and the evaluation runs that they ask for.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{EvaluationRunId, ExecutionId, ObjectId, ProjectId, SessionId, UserId};
use crate::object::{CODE_TYPE, Object};
use crate::project::BranchName;
use crate::time::Timestamp;
use crate::{Code, Error, Result};

/// Longest input of an execution, in bytes of its JSON.
pub const INPUT_MAX_BYTES: usize = 256 * 1024;
/// How much of what an execution writes is kept, in bytes. What follows is neither kept nor told of.
pub const OUTPUT_MAX_BYTES: usize = 256 * 1024;

/// The languages in which code is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ExecutionLanguage")]
pub enum Language {
    /// ECMAScript, as QuickJS understands it.
    JavaScript,
    /// Python, as the deployment's CPython understands it.
    Python,
}

impl Language {
    /// The language of this name, however it is spelled in capitals.
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

/// What an execution is doing, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "ExecutionState")]
pub enum ExecutionState {
    /// It waits for its turn.
    Queued,
    /// It is in progress.
    Running,
    /// The code ended by itself.
    Completed,
    /// The code failed, or was ended.
    Failed,
    /// Somebody stopped it, or closed its session.
    Stopped,
}

/// Why an execution failed. Clients branch on it, so a name is never changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schemars(rename = "ExecutionFailureCode")]
pub enum FailureCode {
    /// The code raised an error that it did not handle, or is no code of its language.
    UncaughtError,
    /// It took more time, or more processor time, than it may.
    TimedOut,
    /// It asked for more memory than it may have.
    OutOfMemory,
    /// It wrote more than it may.
    OutputTooLarge,
    /// Its process ended in no orderly way.
    Crashed,
    /// This deployment has no engine for its language.
    LanguageUnavailable,
    /// The kernel of this deployment can't confine it, so it was not begun.
    SandboxUnavailable,
    /// Whose authority it had can't work in the session any more.
    CredentialEnded,
    /// The service failed, or the process that worked on it has gone.
    ServiceFailed,
}

/// Why an execution failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ExecutionFailure")]
pub struct ExecutionFailure {
    /// Stable: clients branch on it.
    pub code: FailureCode,
    /// For people; may be reworded.
    pub message: String,
}

impl ExecutionFailure {
    /// A failure with this message.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// An execution's record, without what it wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExecutionRecord {
    /// Id.
    pub id: ExecutionId,
    /// Its session.
    pub session: SessionId,
    /// The Code object, which may be another by now, or gone.
    pub object: ObjectId,
    /// The language of its code.
    pub language: Language,
    /// What it is doing.
    pub state: ExecutionState,
    /// Why it failed.
    pub failure: Option<ExecutionFailure>,
    /// Whether it wrote more than is kept.
    pub truncated: bool,
    /// Who began it.
    pub created_by: UserId,
    /// When it was asked for.
    pub created_at: Timestamp,
    /// When its turn came.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// An evaluation run: a sandbox that an execution asked for, with a grant of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvaluationRunRecord {
    /// Id.
    pub id: EvaluationRunId,
    /// The execution that asked for it.
    pub execution: ExecutionId,
    /// The session with which its grant dies.
    pub session: SessionId,
    /// The session's project.
    pub project: ProjectId,
    /// The session's branch.
    pub branch: BranchName,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What is executed of a Code object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The language.
    pub language: Language,
    /// The text.
    pub source: String,
}

impl Program {
    /// What an object holds that is to be executed.
    ///
    /// # Errors
    /// `INVALID_REQUEST` where it is no Code object, or one without text; `LANGUAGE_NOT_SUPPORTED`.
    pub fn of(object: &Object) -> Result<Self> {
        let refused = |rule: &str, message: &str| Error::invalid("body.objectId", rule, message);
        if object.object_type != CODE_TYPE {
            return Err(refused("type", "is no object of type Code"));
        }
        let text = |field: &str| object.data.get(field).and_then(Value::as_str);
        let named = text("language").unwrap_or_default();
        let language = Language::named(named).ok_or_else(|| not_supported(named))?;
        let source = text("text").ok_or_else(|| refused("code", "holds no text"))?.to_owned();
        Ok(Self { language, source })
    }
}

/// What is handed to the code beside its session.
///
/// # Errors
/// `INVALID_REQUEST` where it is longer than [`INPUT_MAX_BYTES`].
pub fn check_input(input: &Map<String, Value>) -> Result<()> {
    let length = serde_json::to_vec(input).map_err(Error::internal)?.len();
    if length <= INPUT_MAX_BYTES {
        return Ok(());
    }
    Err(Error::invalid("body.input", "maxLength", format!("must be at most {INPUT_MAX_BYTES} bytes")))
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
    fn a_language_is_known_by_its_name_however_it_is_spelled() {
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
