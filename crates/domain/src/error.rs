//! The service's only error type and the list of its stable codes.
//!
//! Free of transport: `wire` maps codes to HTTP statuses.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Longest chain of causes in the log, in characters.
const CHAIN_MAX_CHARS: usize = 1_000;

/// The result of every fallible operation of the service.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A stable error code. Clients branch on it, so a variant is never renamed (docs/api.md, section 2).
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
    /// The assignee is not a current member of the card's project.
    AssigneeNotMember,
    /// No credential, or one that is malformed, expired or revoked.
    Unauthenticated,
    /// The caller's role on the resource does not allow this.
    Forbidden,
    /// The key's scopes do not allow this operation; `details.requiredScope` names the one that does.
    InsufficientScope,
    /// This kind of credential is not accepted here.
    CredentialNotPermitted,
    /// The owner has reached its limit of projects; `details` has the numbers.
    ProjectLimitReached,
    /// Repositories take no pushes, neither of commits nor of files.
    RepositoryReadOnly,
    /// Absent or hidden from the caller; the answers are the same bytes.
    NotFound,
    /// The path exists, but not with this method.
    MethodNotAllowed,
    /// The request body is larger than this operation takes; `details.limitBytes`.
    PayloadTooLarge,
    /// This operation does not take the body's media type.
    UnsupportedMediaType,
    /// Another request with the same idempotency key is still running.
    IdempotencyInProgress,
    /// The expected history head of a card is stale; `details.conflicts` has the current ones.
    CardHistoryConflict,
    /// The project has another tag of this name.
    TagNameTaken,
    /// The sprint has started or is completed.
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
    /// The column has reached its WIP limit; `details` has the numbers.
    WipLimitReached,
    /// The neighbours that the request names have moved.
    PositionConflict,
    /// The branch is not in a state that allows this, or the name is taken.
    BranchConflict,
    /// Both sides of a merge changed the same field; `details.conflicts` lists the undecided ones.
    MergeConflict,
    /// The included package leads back to the including project.
    IncludeCycle,
    /// The branch has no uncommitted changes.
    NothingToCommit,
    /// The object is a reserved package, or would duplicate one; `details` names it.
    ReservedObject,
    /// Another run of the session is in progress.
    RunInProgress,
    /// The deployment has no model configured.
    ModelNotConfigured,
    /// The session's runs have used up their budget, `details.budget`.
    CreditsExhausted,
    /// The model was unreachable or gave an unusable answer. Only runs fail with it.
    ModelError,
    /// A run exceeded its limit of steps or time. Only runs fail with it.
    RunLimitReached,
    /// The project has reached its limit of MCP servers.
    McpServerLimitReached,
    /// `If-Match` does not hold, or the client speaks another version of the protocol.
    PreconditionFailed,
    /// The request's offset is not the upload's, `details.offset`.
    UploadOffsetMismatch,
    /// Another request is writing the upload.
    UploadInProgress,
    /// The bytes do not match `Upload-Checksum`; they are discarded.
    ChecksumMismatch,
    /// A rate or concurrency limit is exceeded; `Retry-After` says when to try again.
    RateLimited,
    /// The tool is absent or not the caller's to use; the answers are the same bytes.
    ToolNotFound,
    /// A directly invoked tool refused or failed; `details.content` is its answer.
    ToolError,
    /// A directly invoked tool timed out.
    ToolTimeout,
    /// No engine of this deployment runs code in this language; `details.language` names it.
    LanguageNotSupported,
    /// The requested byte range lies outside the file.
    RangeNotSatisfiable,
    /// The client's headers or body did not arrive in time.
    RequestTimeout,
    /// A bug or an unexpected failure; `details.requestId` finds it in the logs.
    InternalError,
    /// A dependency is down or too slow. The request had no effect and can be repeated.
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

/// A failure: a code for programs, a message for people, details for both, and a cause for the log.
///
/// The cause never reaches a client. `Display` is the public message and never repeats the cause.
#[derive(Debug)]
pub struct Error {
    /// Stable code.
    pub code: Code,
    /// Message for people; its wording may change. `Display` prefixes the field of a violation.
    pub message: String,
    /// Fields specific to this failure; the client's `error.details`.
    pub details: Option<Box<Value>>,
    /// The broken rule of an `INVALID_REQUEST`; the client's `error.details.issues`.
    pub violation: Option<Box<Violation>>,
    /// Seconds until a retry makes sense (`Retry-After`).
    pub retry_after_secs: Option<u32>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// A failure with a code and a public message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, message, details: None, violation: None, retry_after_secs: None, source: None }
    }

    /// The answer for absent and hidden resources alike, so that they can't be told apart.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "The resource does not exist or is not visible to you.")
    }

    /// The answer for every unusable credential; never reveals what is wrong with it.
    pub fn unauthenticated() -> Self {
        Self::new(Code::Unauthenticated, "The credential is missing, malformed, expired or revoked.")
    }

    /// The caller sees the resource, but its role does not allow this.
    pub fn forbidden() -> Self {
        Self::new(Code::Forbidden, "Your role on this resource does not allow this operation.")
    }

    /// A field of the input breaks a rule. `field` is `endDate` or `operations[3].parent`, and empty for the whole input.
    ///
    /// A rule doesn't know in which part of a request its input arrived; [`Error::at`] adds that.
    pub fn invalid(field: impl Into<String>, rule: impl Into<String>, message: impl Into<String>) -> Self {
        let mut error = Self::new(Code::InvalidRequest, message);
        error.violation =
            Some(Box::new(Violation { location: None, field: field.into(), rule: rule.into() }));
        error
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

    /// True if the service failed, rather than refused the request.
    pub fn is_server_fault(&self) -> bool {
        matches!(self.code, Code::InternalError | Code::Unavailable)
    }

    /// The message with those of its causes, for the log. Cut, because a cause may quote a client or a model at length.
    pub fn chain(&self) -> String {
        let mut chain = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            chain = format!("{chain}: {error}");
            cause = error.source();
        }
        chain.chars().take(CHAIN_MAX_CHARS).collect()
    }

    /// Replaces the details.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    /// Adds a detail.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        let mut details = self.details.take().map_or_else(|| json!({}), |details| *details);
        if let Some(details) = details.as_object_mut() {
            details.insert(name.to_owned(), value.into());
        }
        self.with_details(details)
    }

    /// Nests the field in a larger input: `name` within `operations[3]` becomes `operations[3].name`.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        if let Some(violation) = &mut self.violation {
            violation.field = match violation.field.as_str() {
                "" => outer.to_owned(),
                field => format!("{outer}.{field}"),
            };
        }
        self
    }

    /// Locates the field in a part of the request.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        if let Some(violation) = &mut self.violation {
            violation.location = Some(location);
        }
        self
    }

    /// Locates the field in a part of the request, if it isn't located yet.
    #[must_use]
    pub fn or_at(self, location: Location) -> Self {
        match self.violation.as_ref().and_then(|violation| violation.location) {
            Some(_) => self,
            None => self.at(location),
        }
    }

    /// Adds a cause for the log.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.violation.as_ref().map(ToString::to_string).filter(|path| !path.is_empty()) {
            Some(path) => write!(f, "{path}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source: &(dyn std::error::Error + 'static) = self.source.as_deref()?;
        Some(source)
    }
}

/// The public part of a failure, as clients read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ErrorBody")]
pub struct Refusal {
    /// Stable: clients branch on it.
    pub code: Code,
    /// For people; may be reworded.
    pub message: String,
    /// Fields specific to this failure; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    pub details: Option<Value>,
}

impl From<&Error> for Refusal {
    fn from(error: &Error) -> Self {
        let mut details = error.details.as_deref().cloned();
        if let Some(violation) = &error.violation {
            let issue = Issue {
                path: violation.to_string(),
                rule: violation.rule.clone(),
                message: error.message.clone(),
            };
            if let Some(details) = details.get_or_insert_with(|| json!({})).as_object_mut() {
                details.insert("issues".to_owned(), json!([issue]));
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
    violation: Option<Box<Violation>>,
    retry_after_secs: Option<u32>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let Error { code, message, details, violation, retry_after_secs, source: _ } = error;
        Self { code, message, details, violation, retry_after_secs }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let Failure { code, message, details, violation, retry_after_secs } = failure;
        Self { code, message, details, violation, retry_after_secs, source: None }
    }
}

/// A broken rule and the field that breaks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Violation {
    /// The part of the request that holds the field, once known.
    pub location: Option<Location>,
    /// The field: `endDate`, `operations[3].parent`. Empty for the whole input.
    pub field: String,
    /// The rule in one word: `required`, `maxLength`, `unknown`, `format`, ...
    pub rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.location, self.field.as_str()) {
            (None, field) => f.write_str(field),
            (Some(location), "") => f.write_str(location.as_str()),
            (Some(location), field) => write!(f, "{}.{field}", location.as_str()),
        }
    }
}

/// A part of a request that holds input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Location {
    /// The URL's path.
    Path,
    /// The URL's query.
    Query,
    /// The headers.
    Header,
    /// The body.
    Body,
    /// The parameters of a tool call, which combine path, query and body.
    Params,
}

impl Location {
    /// The first segment of [`Issue::path`].
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Body => "body",
            Self::Params => "params",
        }
    }
}

/// An element of `details.issues`: one broken rule of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Issue {
    /// The field: `body.name`, `query.limit`, `path.projectId`, `header.Idempotency-Key`.
    pub path: String,
    /// The rule in one word: `required`, `maxLength`, `unknown`, `format`, ...
    pub rule: String,
    /// For people.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::{Error, Location, Refusal};

    fn told(error: &Error) -> (String, String) {
        let Refusal { message, details, .. } = Refusal::from(error);
        (message, details.unwrap()["issues"][0]["path"].as_str().unwrap().to_owned())
    }

    #[test]
    fn a_violation_names_its_field_within_the_input_and_the_request() {
        let error = Error::invalid("name", "required", "is required");
        assert_eq!(told(&error), ("name: is required".to_owned(), "name".to_owned()));
        let path = "body.operations[3].name";
        let error = error.within("operations[3]").at(Location::Body);
        assert_eq!(told(&error), (format!("{path}: is required"), path.to_owned()));
        let whole = Error::invalid("", "minProperties", "must change something");
        assert_eq!(told(&whole.within("operations[3]")).0, "operations[3]: must change something");
    }

    #[test]
    fn the_first_location_stands_until_another_replaces_it() {
        let error =
            Error::invalid("", "json", "is not valid JSON").or_at(Location::Query).or_at(Location::Body);
        assert_eq!(told(&error).0, "query: is not valid JSON");
        assert_eq!(told(&error.at(Location::Params)).0, "params: is not valid JSON");
    }

    #[test]
    fn a_failure_without_a_violation_keeps_its_message_and_details() {
        let error = Error::not_found().within("operations[3]").at(Location::Body).with_detail("operation", 3);
        let refusal = Refusal::from(&error);
        assert_eq!(refusal.message, Error::not_found().message);
        assert_eq!(refusal.details.unwrap(), serde_json::json!({ "operation": 3 }));
    }
}
