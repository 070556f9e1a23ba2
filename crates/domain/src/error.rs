//! The service's only error type, and its forms for clients and for storage.
//!
//! Free of transport: `wire` maps codes to HTTP statuses.

pub mod code;

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::code::Code;

/// Longest chain of causes in the log, in characters.
const CHAIN_MAX_CHARS: usize = 1_000;
/// The detail of `UNAVAILABLE` that says if the request was applied.
const OUTCOME: &str = "outcome";
/// Nothing was applied.
const OUTCOME_NONE: &str = "none";
/// The request may have been applied. A repeat with the same key or head tells.
const OUTCOME_UNKNOWN: &str = "unknown";

/// The result of every fallible operation of the service.
pub type Result<T, E = Error> = std::result::Result<T, E>;

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

    /// A dependency is down or too slow, and nothing was applied; the cause goes to the log.
    pub fn unavailable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let mut error =
            Self::new(Code::Unavailable, "A dependency of the service is unavailable. Nothing was applied.");
        error.retry_after_secs = Some(1);
        error.with_source(source).with_detail(OUTCOME, OUTCOME_NONE)
    }

    /// The service has no place for the request at present, and nothing was applied.
    pub fn overloaded(message: impl Into<String>, retry_after_secs: u32) -> Self {
        let mut error = Self::new(Code::Unavailable, message).with_detail(OUTCOME, OUTCOME_NONE);
        error.retry_after_secs = Some(retry_after_secs);
        error
    }

    /// This failure of a request whose change may have been applied: the dependency was lost before it confirmed.
    #[must_use]
    pub fn outcome_unknown(mut self) -> Self {
        "A dependency of the service was lost. The change may have been applied."
            .clone_into(&mut self.message);
        self.with_detail(OUTCOME, OUTCOME_UNKNOWN)
    }

    /// True after [`Error::outcome_unknown`].
    pub fn is_outcome_unknown(&self) -> bool {
        self.details.as_ref().is_some_and(|details| details.get(OUTCOME) == Some(&json!(OUTCOME_UNKNOWN)))
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
    /// Fields specific to this failure; absent if empty.
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
