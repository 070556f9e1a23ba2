//! The failure of a command: what happened, why, the next command to type, and the exit code.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use domain::Code;
use domain::error::Issue;
use serde_json::{Value, json};

use crate::style::{dim, styled};
use crate::variable::key_of_variable;

/// Broken rules of a refused request that are shown.
const ISSUES_SHOWN: usize = 3;

/// The cause of a TLS handshake that was answered in plain text, as rustls words it.
const NO_TLS: &str = "InvalidContentType";
/// Parameters of the API with the options that set them, where their words differ.
const OPTIONS: [(&str, &str); 8] = [
    ("endDate", "--end"),
    ("expiresAt", "--expires"),
    ("from", "--from"),
    ("graceSeconds", "--grace"),
    ("incompleteCardsTo", "--rest-to"),
    ("sprintId", "--sprint"),
    ("startDate", "--start"),
    ("to", "--to"),
];

/// Exit codes, which scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is done.
    Done = 0,
    /// The service refused, or a local step failed.
    Refused = 1,
    /// Wrong usage.
    Usage = 2,
    /// Files failed or were left alone; they are listed.
    Part = 3,
    /// Not signed in, or no longer.
    SignedOut = 4,
    /// The service can't be reached.
    Unreachable = 5,
    /// Something that was named is absent, or hidden.
    NotFound = 6,
    /// Stopped by the user; the state is kept.
    Stopped = 130,
}

impl Exit {
    /// The exit code of the process.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Part => 3,
            Self::SignedOut => 4,
            Self::Unreachable => 5,
            Self::NotFound => 6,
            Self::Stopped => 130,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// The result of a command or a step of one.
pub(crate) type CommandResult<T, E = CommandFailure> = std::result::Result<T, E>;

/// A failure of a command.
#[derive(Debug)]
pub(crate) struct CommandFailure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// The event, in lower case without a period.
    pub(crate) message: String,
    /// The next command to type, or another way out.
    pub(crate) next: Option<String>,
    /// The service's code and request id, where it refused.
    code: Option<String>,
    request_id: Option<String>,
}

impl CommandFailure {
    /// A failure with a message.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), next: None, code: None, request_id: None }
    }

    /// Wrong usage that the parser of arguments can't see.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A local step that failed.
    pub(crate) fn local(step: &str, cause: impl fmt::Display) -> Self {
        Self::new(Exit::Refused, format!("cannot {step}: {}", without_number(&cause.to_string())))
    }

    /// A local step that the system refused.
    pub(crate) fn io(step: &str, error: &std::io::Error) -> Self {
        let failure = Self::local(step, local_reason(error));
        let exit = if error.kind() == ErrorKind::NotFound { Exit::NotFound } else { failure.exit };
        Self { exit, ..failure }
    }

    /// A failure to download to `path`. Its message names that file, not the part beside it.
    pub(crate) fn download(path: &Path, error: client::RequestError) -> Self {
        let client::RequestError::File { source, .. } = error else { return error.into() };
        let failure = Self::local(&format!("write {}", path.display()), local_reason(&source));
        if source.kind() == ErrorKind::StorageFull { failure.next("Free some space") } else { failure }
    }

    /// Adds the next step.
    #[must_use]
    pub(crate) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// Sets the code, for a refusal that this program found in an answer.
    #[must_use]
    pub(crate) fn code(mut self, code: impl serde::Serialize) -> Self {
        self.code = serde_json::to_value(code).ok().and_then(|code| code.as_str().map(str::to_owned));
        self
    }

    /// The failure as `--json` prints it.
    pub(crate) fn json(&self) -> Value {
        json!({
            "exitCode": self.exit.code(),
            "message": self.message,
            "code": self.code,
            "requestId": self.request_id,
            "next": self.next,
        })
    }
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} {}", styled("31;1", "error"), styled("1", ":"), self.message)?;
        if let Some(code) = &self.code {
            write!(f, " {}", dim(&format!("({code})")))?;
        }
        if let Some(id) = &self.request_id {
            write!(f, "\n  {}", dim(&format!("request {id}")))?;
        }
        match &self.next {
            Some(next) => write!(f, "\n  {next}"),
            None => Ok(()),
        }
    }
}

impl From<client::RequestError> for CommandFailure {
    fn from(error: client::RequestError) -> Self {
        let message = words(&error);
        let Some(answer) = error.answer() else {
            return match error {
                client::RequestError::Unreachable { host, cause } if cause.contains(NO_TLS) => {
                    Self::new(Exit::Unreachable, format!("{host} doesn't speak TLS"))
                        .next(format!("Try the address without encryption: --url http://{host}"))
                }
                client::RequestError::Unreachable { .. } | client::RequestError::Interrupted { .. } => Self::new(
                    Exit::Unreachable,
                    message,
                )
                .next(
                    "Check the address (--url, ATELIER_URL) and the network, then run the same command again",
                ),
                client::RequestError::Path { .. } => Self::usage(message).next(
                    "A path begins with one slash and names no host. For example: atelier api /api/v2/me",
                ),
                _ => Self::new(Exit::Refused, message),
            };
        };
        let (exit, next) = match answer.status {
            // A key of a profile would not be used.
            401 if key_of_variable().is_some() => {
                (Exit::SignedOut, Some("The key in ATELIER_KEY is refused: set another one, or unset it"))
            }
            401 => (Exit::SignedOut, Some("Sign in again: atelier login")),
            404 => (Exit::NotFound, None),
            403 if answer.code_text == "INSUFFICIENT_SCOPE" => {
                (Exit::Refused, Some("Sign in with a key that has this scope: atelier login"))
            }
            _ if answer.code == Some(Code::ModelNotConfigured) => {
                (Exit::Refused, Some("Ask the operator of the service to configure a model"))
            }
            _ => (Exit::Refused, None),
        };
        let mut failure = Self::new(exit, message);
        failure.next = next.map(str::to_owned);
        failure.code = Some(answer.code_text.clone()).filter(|code| !code.is_empty());
        // Only a bug is worth a look into the logs.
        failure.request_id = answer.request_id.clone().filter(|_| answer.status >= 500);
        failure
    }
}

/// The reason of a local failure, without the system's number.
pub(crate) fn local_reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => without_number(&error.to_string()).to_owned(),
    }
}

/// The reason of a failed request in the words of this program.
pub(crate) fn words(error: &client::RequestError) -> String {
    let issues = error.answer().map(client::ErrorAnswer::issues).unwrap_or_default();
    if issues.is_empty() {
        return lowered(without_number(&error.to_string()));
    }
    let of_issue = |issue: &Issue| match field(&issue.path) {
        Some(field) => format!("{field} {}", with_options(&issue.message)),
        None => lowered(&issue.message),
    };
    let mut words: Vec<String> = issues.iter().take(ISSUES_SHOWN).map(of_issue).collect();
    if issues.len() > ISSUES_SHOWN {
        words.push("…".to_owned());
    }
    words.join("; ")
}

/// The name of a field for people: the option that sets it, or `the display name` for `body.displayName`. `None` for the
/// whole of a request.
fn field(path: &str) -> Option<String> {
    let (_, name) = path.split_once('.')?;
    if let Some((_, option)) = OPTIONS.into_iter().find(|(parameter, _)| *parameter == name) {
        return Some(option.to_owned());
    }
    let mut words = String::from("the ");
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(c.to_ascii_lowercase());
    }
    Some(words)
}

/// A message whose quoted parameters are named by their options.
fn with_options(message: &str) -> String {
    let replaced =
        |text: String, (parameter, option): (&str, &str)| text.replace(&format!("`{parameter}`"), option);
    OPTIONS.into_iter().fold(message.to_owned(), replaced)
}

/// A message without the system's number of its error.
fn without_number(message: &str) -> &str {
    message.split_once(" (os error ").map_or(message, |(reason, _)| reason)
}

/// Messages of the service are sentences; those here are not.
fn lowered(message: &str) -> String {
    let message = message.strip_suffix('.').unwrap_or(message);
    let mut chars = message.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => {
            first.to_lowercase().chain(message.chars().skip(1)).collect()
        }
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandFailure, Exit, NO_TLS, field, lowered, with_options};

    #[test]
    fn a_field_is_named_by_its_option_or_in_words() {
        assert_eq!(field("body.endDate").as_deref(), Some("--end"));
        assert_eq!(field("body.incompleteCardsTo").as_deref(), Some("--rest-to"));
        assert_eq!(field("body.displayName").as_deref(), Some("the display name"));
        assert_eq!(field("query.q").as_deref(), Some("the q"));
        assert_eq!(field("body"), None);
        assert_eq!(with_options("must not be before `from`"), "must not be before --from");
    }

    #[test]
    fn a_failure_without_a_model_or_tls_says_what_comes_next() {
        let answer = client::ErrorAnswer {
            status: 422,
            code: Some(domain::Code::ModelNotConfigured),
            code_text: "MODEL_NOT_CONFIGURED".to_owned(),
            message: "No model is configured.".to_owned(),
            details: None,
            request_id: None,
            retry_after: None,
            body: Vec::new(),
        };
        let failure = CommandFailure::from(client::RequestError::Refused(Box::new(answer)));
        assert!(failure.next.is_some_and(|next| next.contains("configure a model")));
        let (host, cause) = ("a:1".to_owned(), format!("received corrupt message of type {NO_TLS}"));
        let failure = CommandFailure::from(client::RequestError::Unreachable { host, cause });
        assert_eq!((failure.exit, failure.message.as_str()), (Exit::Unreachable, "a:1 doesn't speak TLS"));
    }

    #[test]
    fn a_sentence_becomes_a_message() {
        assert_eq!(lowered("The key has expired."), "the key has expired");
        assert_eq!(lowered("STEP files only"), "STEP files only");
        assert_eq!(lowered(""), "");
    }
}
