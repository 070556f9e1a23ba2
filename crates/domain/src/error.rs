//! The one error type of the service and the one list of its stable codes.
//!
//! Transport-free: which HTTP status a code has is `wire`'s business.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Most characters of an error's chain of causes in the log.
const CHAIN_MAX_CHARS: usize = 1_000;

/// What every fallible operation of the service returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A stable error code: clients branch on it, so a variant is never renamed (specification, "Errors";
/// contract, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// A parameter, query or body breaks a rule; `details.issues` names each.
    InvalidRequest,
    /// A bad `limit` or `cursor`, or a cursor of another filter.
    InvalidPagination,
    /// An empty, overlong or unprintable `Idempotency-Key`.
    InvalidIdempotencyKey,
    /// A data-plane connection id that does not start with `headless-`.
    InvalidConnectionId,
    /// A multipart body that is not one complete part named `file`.
    InvalidUpload,
    /// `If-Match` and `expectedHistoryHeadId` name different history heads.
    HistoryHeadMismatch,
    /// Who is to be assigned to a card is no current member of its project.
    AssigneeNotMember,
    /// No credential, or one that is malformed, expired or revoked.
    Unauthenticated,
    /// The caller's role on the resource does not allow this.
    Forbidden,
    /// The key's scopes do not allow this operation; `details.requiredScope` names the one that does.
    InsufficientScope,
    /// This kind of credential is not accepted here.
    CredentialNotPermitted,
    /// The owner has as many projects as it may have; `details` has the numbers.
    ProjectLimitReached,
    /// A repository takes no pushes, of commits or of files.
    RepositoryReadOnly,
    /// Absent, or hidden from the caller: the two are the same.
    NotFound,
    /// The path exists, but not with this method.
    MethodNotAllowed,
    /// The request body is larger than this operation takes; `details.limitBytes`.
    PayloadTooLarge,
    /// The body is not of a media type that this operation takes.
    UnsupportedMediaType,
    /// Another request with the same idempotency key is still running.
    IdempotencyInProgress,
    /// The expected history head of a card is stale; `details.conflicts` has the current ones.
    CardHistoryConflict,
    /// The project has another tag of this name.
    TagNameTaken,
    /// The sprint is not planned any more.
    SprintNotPlanned,
    /// The sprint contains no card.
    SprintEmpty,
    /// Another sprint of the team is active; `details.activeSprintIds` names it.
    SprintAlreadyActive,
    /// The sprint is not active.
    SprintNotActive,
    /// The team has another status column of this name.
    StatusNameTaken,
    /// The organization has another team of this name that the caller can see.
    TeamNameTaken,
    /// The column holds as much work in progress as it may; `details` has the numbers.
    WipLimitReached,
    /// The neighbours that the request names are not where it expects them.
    PositionConflict,
    /// The branch is not in a state that allows this, or the name is taken.
    BranchConflict,
    /// Both sides of a merge have changed the same; `details.conflicts` has what is not decided.
    MergeConflict,
    /// A package that is to be included leads back to the project that includes it.
    IncludeCycle,
    /// The branch holds no uncommitted changes.
    NothingToCommit,
    /// The object is a reserved package, or would be another one of its name; `details` names it.
    ReservedObject,
    /// Another run of the session is in progress.
    RunInProgress,
    /// The deployment has no model that could answer a prompt.
    ModelNotConfigured,
    /// The session's runs have cost what they may; `details.budget` is that.
    CreditsExhausted,
    /// A model could not be reached, or answered what can't be used. Said of runs alone.
    ModelError,
    /// A run took more steps or time than it may. Said of runs alone.
    RunLimitReached,
    /// The project has as many MCP servers as it may have.
    McpServerLimitReached,
    /// The resource is not as the request's `If-Match` expected it, or the protocol's version is not the client's.
    PreconditionFailed,
    /// The upload is at another offset than the request; `details.offset`.
    UploadOffsetMismatch,
    /// Another request is writing the upload.
    UploadInProgress,
    /// The bytes are not those of the request's `Upload-Checksum`; they were thrown away.
    ChecksumMismatch,
    /// More at a time than is allowed; `Retry-After` says when to try again.
    RateLimited,
    /// There is no such tool, or the caller may not use it: the two are the same.
    ToolNotFound,
    /// A tool that was invoked directly refused or failed; `details.content` is what it says.
    ToolError,
    /// A tool that was invoked directly did not answer in time.
    ToolTimeout,
    /// No engine of this deployment runs code in this language; `details.language` names it.
    LanguageNotSupported,
    /// The requested byte range lies outside the file.
    RangeNotSatisfiable,
    /// The client was too slow: headers or body did not arrive in time.
    RequestTimeout,
    /// A bug or an unexpected failure; `details.requestId` finds it in the logs.
    InternalError,
    /// A dependency is down or too slow; the request had no effect and can be repeated.
    Unavailable,
}

impl Code {
    /// Every code, in the order of the documentation.
    pub const ALL: &'static [Self] = &[
        Self::InvalidRequest,
        Self::InvalidPagination,
        Self::InvalidIdempotencyKey,
        Self::InvalidConnectionId,
        Self::InvalidUpload,
        Self::HistoryHeadMismatch,
        Self::AssigneeNotMember,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::InsufficientScope,
        Self::CredentialNotPermitted,
        Self::ProjectLimitReached,
        Self::RepositoryReadOnly,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::IdempotencyInProgress,
        Self::CardHistoryConflict,
        Self::TagNameTaken,
        Self::SprintNotPlanned,
        Self::SprintEmpty,
        Self::SprintAlreadyActive,
        Self::SprintNotActive,
        Self::StatusNameTaken,
        Self::TeamNameTaken,
        Self::WipLimitReached,
        Self::PositionConflict,
        Self::BranchConflict,
        Self::MergeConflict,
        Self::IncludeCycle,
        Self::NothingToCommit,
        Self::ReservedObject,
        Self::RunInProgress,
        Self::ModelNotConfigured,
        Self::CreditsExhausted,
        Self::ModelError,
        Self::RunLimitReached,
        Self::McpServerLimitReached,
        Self::PreconditionFailed,
        Self::UploadOffsetMismatch,
        Self::UploadInProgress,
        Self::ChecksumMismatch,
        Self::RateLimited,
        Self::ToolNotFound,
        Self::ToolError,
        Self::ToolTimeout,
        Self::LanguageNotSupported,
        Self::RangeNotSatisfiable,
        Self::RequestTimeout,
        Self::InternalError,
        Self::Unavailable,
    ];
}

/// A failure: a code for programs, a message for people, details for both, and a cause for the log alone.
///
/// The cause never reaches a client. `Display` is the public message and never repeats the cause.
#[derive(Debug)]
pub struct Error {
    /// Stable code.
    pub code: Code,
    /// Message for people; may be reworded at any time.
    pub message: String,
    /// Fields specific to this failure, shown to the client as `error.details`.
    pub details: Option<Box<Value>>,
    /// Seconds after which a repeat makes sense (`Retry-After`).
    pub retry_after_secs: Option<u32>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// A failure with the given code and public message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: None, retry_after_secs: None, source: None }
    }

    /// The answer for everything absent or hidden; one text, so that the two can't be told apart.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "The resource does not exist or is not visible to you.")
    }

    /// The answer for every unusable credential; it never says what is wrong with it.
    pub fn unauthenticated() -> Self {
        Self::new(Code::Unauthenticated, "The credential is missing, malformed, expired or revoked.")
    }

    /// The caller sees the resource, but its role there does not allow this.
    pub fn forbidden() -> Self {
        Self::new(Code::Forbidden, "Your role on this resource does not allow this operation.")
    }

    /// The request breaks one rule at one place (`path` as in `body.name` or `query.limit`).
    pub fn invalid(path: impl Into<String>, rule: impl Into<String>, message: impl Into<String>) -> Self {
        let issue = Issue { path: path.into(), rule: rule.into(), message: message.into() };
        Self::new(Code::InvalidRequest, format!("{}: {}", issue.path, issue.message))
            .with_details(json!({ "issues": [issue] }))
    }

    /// A bug or an unexpected failure; the cause goes to the log.
    pub fn internal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(Code::InternalError, "An unexpected error occurred.").with_source(source)
    }

    /// A dependency is down or too slow; the cause goes to the log.
    pub fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let mut error =
            Self::new(Code::Unavailable, "A dependency of the service is unavailable. Try again.");
        error.retry_after_secs = Some(1);
        error.with_source(source)
    }

    /// Whether it is the service that failed, and not what was asked for.
    pub fn is_of_the_service(&self) -> bool {
        matches!(self.code, Code::InternalError | Code::Unavailable)
    }

    /// The message and those of its causes, for the log. What is left out beyond some length may quote what a client or
    /// a model said.
    pub fn chain(&self) -> String {
        let mut chain = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            chain = format!("{chain}: {error}");
            cause = error.source();
        }
        chain.chars().take(CHAIN_MAX_CHARS).collect()
    }

    /// The same failure with details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// The same failure with one more of its details.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        let mut details = self.details.take().map_or_else(|| json!({}), |details| *details);
        if let Some(details) = details.as_object_mut() {
            details.insert(name.to_owned(), value.into());
        }
        self.with_details(details)
    }

    /// The same failure as that of one part of a request: what it says of `body.name` or `path.name` is said of
    /// `name` below `place`.
    #[must_use]
    pub fn within(mut self, place: &str) -> Self {
        let issues = self.details.as_mut().and_then(|details| details.get_mut("issues")?.as_array_mut());
        for issue in issues.into_iter().flatten() {
            let Some(Value::String(path)) = issue.get_mut("path") else { continue };
            let moved = path
                .split_once('.')
                .map_or_else(|| place.to_owned(), |(_, below)| format!("{place}.{below}"));
            self.message = self.message.replacen(path.as_str(), &moved, 1);
            *path = moved;
        }
        self
    }

    /// The same failure with a cause for the log.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source: &(dyn std::error::Error + 'static) = self.source.as_deref()?;
        Some(source)
    }
}

/// What a client is told of a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ErrorBody")]
pub struct Refusal {
    /// Stable: clients branch on it.
    pub code: Code,
    /// For people; may be reworded.
    pub message: String,
    /// Fields specific to this failure; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    pub details: Option<Value>,
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Self {
        Self { code: error.code, message: error.message.clone(), details: error.details.as_deref().cloned() }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { code: error.code, message: error.message, details: error.details.map(|details| *details) }
    }
}

/// One broken rule of a request, an element of `details.issues`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Issue {
    /// Where: `body.name`, `query.limit`, `path.projectId`, `header.Idempotency-Key`.
    pub path: String,
    /// Which rule, in a word: `required`, `maxLength`, `unknown`, `format`, ...
    pub rule: String,
    /// For people.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::Error;

    #[test]
    fn a_failure_of_a_part_names_its_place_in_the_whole() {
        let error = Error::invalid("body.name", "required", "is required").within("body.operations[3]");
        assert_eq!(error.message, "body.operations[3].name: is required");
        assert_eq!(error.details.unwrap()["issues"][0]["path"], "body.operations[3].name");
        let error =
            Error::invalid("body", "minProperties", "must change something").within("body.operations[3]");
        assert_eq!(error.message, "body.operations[3]: must change something");
        assert_eq!(
            Error::not_found().within("body").with_detail("operation", 3).details.unwrap()["operation"],
            3
        );
    }
}
