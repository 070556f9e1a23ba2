//! The service's only error type, and its forms for clients and for storage.
//!
//! Free of transport: `wire` maps codes to HTTP statuses.

pub mod code;
mod forms;
mod issue;
mod rule;

use std::fmt;

use serde_json::{Value, json};

use self::code::Code;
pub use self::forms::{Failure, Refusal};
use self::issue::Violation;
pub use self::issue::{Issue, Location};
pub use self::rule::Rule;

/// Longest chain of causes in the log, in characters.
const CHAIN_MAX_CHARS: usize = 1_000;
/// The detail of `UNAVAILABLE` that says if the request was applied.
const OUTCOME: &str = "outcome";
/// Nothing was applied.
const OUTCOME_NONE: &str = "none";
/// The request may have been applied. A repeat with the same key or head tells.
const OUTCOME_UNKNOWN: &str = "unknown";
/// Most broken rules that a failure lists. Others are counted.
pub const ISSUES_MAX: usize = 100;
/// Longest message, and longest place of a broken rule, in characters. A longer one quotes its client at length.
const TEXT_MAX_CHARS: usize = 500;
/// Most broken rules that the message of a failure repeats.
const ISSUES_IN_MESSAGE: usize = 3;

/// The result of every fallible operation of the service.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure: a code for programs, a message for people, details for both, and a cause for the log.
///
/// The cause never reaches a client. `Display` is the public message and never repeats the cause.
#[derive(Debug)]
pub struct Error {
    /// Stable code.
    pub code: Code,
    /// Message for people; its wording may change. `Display` replaces it by the broken rules, if any.
    pub message: String,
    /// Fields specific to this failure; the client's `error.details`.
    pub details: Option<Box<Value>>,
    /// The broken rules of an invalid request; the client's `error.details.issues`.
    violations: Vec<Violation>,
    /// The number of broken rules beyond those.
    omitted: usize,
    /// Seconds until a retry makes sense (`Retry-After`).
    pub retry_after_secs: Option<u32>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// A failure with a code and a public message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: cut(message.into()),
            details: None,
            violations: Vec::new(),
            omitted: 0,
            retry_after_secs: None,
            source: None,
        }
    }

    /// The answer for absent and hidden resources alike, so that they can't be told apart.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "The resource does not exist or is not visible to you.")
    }

    /// The answer to a request without a credential. `wanted` names a kind that would do.
    pub fn no_credential(wanted: &str) -> Self {
        let message = format!("The request needs a credential. Send `Authorization: Bearer <{wanted}>`.");
        Self::new(Code::Unauthenticated, message)
    }

    /// The answer for a credential that can't be used; never reveals what is wrong with it. It has a cause, unlike
    /// [`Error::no_credential`].
    pub fn unauthenticated() -> Self {
        Self::new(Code::Unauthenticated, "The credential is malformed, unknown or revoked.")
            .with_source("the credential can't be used")
    }

    /// The answer to a genuine grant that ended before its time.
    pub fn grant_ended() -> Self {
        let message =
            "The grant ended with its session, execution or key. Open a session, or ask for another grant.";
        Self::new(Code::Unauthenticated, message).with_source("the grant has ended")
    }

    /// The answer for a genuine credential whose time is over: it was issued by this deployment or its issuer.
    pub fn credential_expired() -> Self {
        Self::new(Code::CredentialExpired, "The credential has expired. Renew it, or sign in again.")
    }

    /// The caller sees the resource, but its role does not allow this.
    pub fn forbidden() -> Self {
        Self::new(Code::Forbidden, "Your role on this resource does not allow this operation.")
    }

    /// A field of the input breaks a rule, in the rule's own words. `field` is `endDate` or `operations[3].parent`, and
    /// empty for the whole input.
    ///
    /// A rule doesn't know in which part of a request its input arrived; [`Error::at`] adds that.
    pub fn broken(field: impl Into<String>, rule: Rule) -> Self {
        let message = rule.to_string();
        Self::invalid(field, rule, message)
    }

    /// A field of the input breaks a rule, in words that say more than the rule's own.
    pub fn invalid(field: impl Into<String>, rule: Rule, message: impl Into<String>) -> Self {
        let mut error = Self::new(Code::InvalidRequest, "The request is invalid.");
        error.violations.push(Violation {
            location: None,
            field: cut(field.into()),
            rule,
            message: cut(message.into()),
        });
        error
    }

    /// The failure to find what a field of the input names. An absent and a hidden thing look the same. Other failures stay
    /// as they are.
    #[must_use]
    pub fn named_by(self, field: &str) -> Self {
        match self.code {
            Code::NotFound => Self::broken(field, Rule::Exists),
            _ => self,
        }
    }

    /// The same broken rules under the code of their own kind, for example `INVALID_PAGINATION`.
    #[must_use]
    pub fn under(mut self, code: Code) -> Self {
        self.code = code;
        self
    }

    /// True if the failure is of broken rules, so that it can be answered together with others.
    pub fn is_violation(&self) -> bool {
        !self.violations.is_empty()
    }

    /// True if a rule is broken at `field` or below it, or `field` is in a list that is too long.
    pub fn covers(&self, field: &str) -> bool {
        self.violations.iter().any(|violation| {
            let in_list = matches!(violation.rule, Rule::MaxItems(_))
                && field.strip_prefix(&violation.field).is_some_and(|below| below.starts_with('['));
            in_list
                || match violation.field.strip_prefix(field) {
                    Some(below) => field.is_empty() || below.is_empty() || below.starts_with(['.', '[']),
                    None => false,
                }
        })
    }

    /// Adds the broken rules of another failure. A rule that is broken at the same place already is not repeated. Rules of
    /// several codes are `INVALID_REQUEST` together.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.code = self.common_code(&other);
        self.omitted += other.omitted;
        for violation in other.violations {
            if !self.violations.iter().any(|known| known.implies(&violation)) {
                self.add(violation);
            }
        }
        self
    }

    /// Adds a broken rule, or counts it.
    fn add(&mut self, violation: Violation) {
        match self.violations.len() < ISSUES_MAX {
            true => self.violations.push(violation),
            false => self.omitted += 1,
        }
    }

    fn common_code(&self, other: &Self) -> Code {
        if other.is_violation() && self.code != other.code { Code::InvalidRequest } else { self.code }
    }

    /// All values, or all broken rules of those that are refused, which have places of their own. Another failure is
    /// returned alone.
    ///
    /// # Errors
    /// The failures of the results.
    pub fn all<T>(results: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
        let mut values = Vec::new();
        let mut refusal: Option<Self> = None;
        for result in results {
            match result {
                Ok(value) => values.push(value),
                Err(error) if !error.is_violation() => return Err(error),
                Err(error) => {
                    refusal = Some(match refusal {
                        Some(mut refusal) => {
                            refusal.code = refusal.common_code(&error);
                            refusal.omitted += error.omitted;
                            error.violations.into_iter().for_each(|violation| refusal.add(violation));
                            refusal
                        }
                        None => error,
                    });
                }
            }
        }
        refusal.map_or(Ok(values), Err)
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

    /// The owner of `resource` has as much of it as the deployment allows.
    pub fn limit_reached(resource: &str, limit: u64, current: u64) -> Self {
        let message =
            format!("The limit of {resource} is reached. Remove some, or ask the operators for more.");
        Self::new(Code::LimitReached, message)
            .with_details(json!({ "resource": resource, "limit": limit, "current": current }))
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

    /// Nests the fields in a larger input: `name` within `operations[3]` becomes `operations[3].name`.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        for violation in &mut self.violations {
            violation.field = match violation.field.as_str() {
                "" => outer.to_owned(),
                field => format!("{outer}.{field}"),
            };
        }
        self
    }

    /// Locates the fields in a part of the request.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        for violation in &mut self.violations {
            violation.location = Some(location);
        }
        self
    }

    /// Locates the fields in a part of the request, where they aren't located yet.
    #[must_use]
    pub fn or_at(mut self, location: Location) -> Self {
        for violation in &mut self.violations {
            violation.location.get_or_insert(location);
        }
        self
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
        let Some((first, others)) = self.violations.split_first() else {
            return f.write_str(&self.message);
        };
        first.fmt(f)?;
        for violation in others.iter().take(ISSUES_IN_MESSAGE - 1) {
            write!(f, "; {violation}")?;
        }
        match others.len().saturating_sub(ISSUES_IN_MESSAGE - 1) + self.omitted {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let source: &(dyn std::error::Error + 'static) = self.source.as_deref()?;
        Some(source)
    }
}

/// A text that may quote a client at length, cut to 500 characters.
pub fn cut(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(TEXT_MAX_CHARS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Code, Error, ISSUES_MAX, Location, Refusal, Result, Rule};

    fn shown(error: &Error) -> (String, String) {
        let Refusal { message, details, .. } = Refusal::from(error);
        (message, details.unwrap()["issues"][0]["path"].as_str().unwrap().to_owned())
    }

    fn issues(error: &Error) -> Value {
        Refusal::from(error).details.unwrap()["issues"].clone()
    }

    #[test]
    fn a_violation_names_its_field_within_the_input_and_the_request() {
        let error = Error::broken("name", Rule::Required);
        assert_eq!(shown(&error), ("name: is required".to_owned(), "name".to_owned()));
        let path = "body.operations[3].name";
        let error = error.within("operations[3]").at(Location::Body);
        assert_eq!(shown(&error), (format!("{path}: is required"), path.to_owned()));
        let whole = Error::invalid("", Rule::MinProperties(1), "must change something");
        assert_eq!(shown(&whole.within("operations[3]")).0, "operations[3]: must change something");
    }

    #[test]
    fn the_first_location_stands_until_another_replaces_it() {
        let error = Error::invalid("", Rule::Syntax, "is not valid JSON");
        let error = error.or_at(Location::Query).or_at(Location::Body);
        assert_eq!(shown(&error).0, "query: is not valid JSON");
        assert_eq!(shown(&error.at(Location::Params)).0, "params: is not valid JSON");
    }

    #[test]
    fn a_failure_without_a_violation_keeps_its_message_and_details() {
        let error = Error::not_found().within("operations[3]").at(Location::Body).with_detail("operation", 3);
        let refusal = Refusal::from(&error);
        assert_eq!(refusal.message, Error::not_found().message);
        assert_eq!(refusal.details.unwrap(), json!({ "operation": 3 }));
    }

    #[test]
    fn an_issue_has_its_rule_and_the_bound_of_the_rule() {
        let error = Error::broken("name", Rule::MaxLength(3)).and(Error::broken("id", Rule::Required));
        assert_eq!(
            issues(&error),
            json!([
                { "path": "name", "rule": "maxLength", "bound": 3, "message": "must be at most 3 characters" },
                { "path": "id", "rule": "required", "message": "is required" },
            ])
        );
    }

    #[test]
    fn broken_rules_are_collected_once_each_and_under_their_common_code() {
        let limit = || Error::broken("limit", Rule::Required).under(Code::InvalidPagination);
        assert_eq!(limit().and(limit()).code, Code::InvalidPagination);
        assert_eq!(issues(&limit().and(limit())).as_array().unwrap().len(), 1);
        assert_eq!(limit().and(Error::broken("q", Rule::Required)).code, Code::InvalidRequest);

        let all = |results: Vec<Result<u8>>| Error::all(results).map_err(|error| error.code);
        assert_eq!(all(vec![Ok(1), Ok(2)]), Ok(vec![1, 2]));
        assert_eq!(all(vec![Ok(1), Err(limit())]), Err(Code::InvalidPagination));
        assert_eq!(all(vec![Err(limit()), Err(Error::not_found())]), Err(Code::NotFound));
    }

    #[test]
    fn more_issues_than_a_failure_lists_are_counted() {
        let many = (0..ISSUES_MAX + 2).map(|n| Err::<(), _>(Error::broken(format!("f{n}"), Rule::Required)));
        let error = Error::all(many).unwrap_err();
        let refusal = Refusal::from(&error);
        assert_eq!(refusal.message, "f0: is required; f1: is required; f2: is required; and 99 more");
        let details = refusal.details.unwrap();
        assert_eq!(details["issues"].as_array().unwrap().len(), ISSUES_MAX);
        assert_eq!(details["omittedIssues"], 2);
        let details = Refusal::from(&error.and(Error::broken("g", Rule::Required))).details.unwrap();
        assert_eq!(details["omittedIssues"], 3);
    }

    #[test]
    fn a_failure_quotes_its_client_in_part() {
        let long = "ä".repeat(1_000_000);
        let named = Error::invalid(long.clone(), Rule::Unknown, format!("`{long}` is not known"));
        let other = Error::new(Code::NotFound, long);
        for error in [named, other] {
            assert!(serde_json::to_string(&Refusal::from(&error)).unwrap().len() < 5_000);
        }
    }
}
