//! The failure of a command: what happened, why, the next command to type, and the exit code.

use std::fmt;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::variable::key_of_variable;

/// Exit codes, which scripts rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All is done.
    Done = 0,
    /// The service refused, or a local step failed.
    Refused = 1,
    /// Wrong usage.
    Usage = 2,
    /// Done in part: what failed is listed.
    Part = 3,
    /// Not signed in, or no longer.
    SignedOut = 4,
    /// The service can't be reached.
    Unreachable = 5,
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
        Self::new(Exit::Refused, format!("cannot {step}: {cause}"))
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
        let (red, bold, dim, reset) = ("\x1b[31;1m", "\x1b[1m", "\x1b[2m", "\x1b[0m");
        write!(f, "{red}error{reset}{bold}:{reset} {}", self.message)?;
        if let Some(code) = &self.code {
            write!(f, " {dim}({code}){reset}")?;
        }
        if let Some(id) = &self.request_id {
            write!(f, "\n  {dim}request {id}{reset}")?;
        }
        match &self.next {
            Some(next) => write!(f, "\n  {next}"),
            None => Ok(()),
        }
    }
}

impl From<client::RequestError> for CommandFailure {
    fn from(error: client::RequestError) -> Self {
        let message = lowered(without_number(&error.to_string()));
        let Some(answer) = error.answer() else {
            return match error {
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
            403 if answer.code_text == "INSUFFICIENT_SCOPE" => {
                (Exit::Refused, Some("Sign in with a key that has this scope: atelier login"))
            }
            404 => (Exit::Refused, Some("See what there is: atelier projects")),
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

impl From<rusqlite::Error> for CommandFailure {
    fn from(error: rusqlite::Error) -> Self {
        Self::local("keep the state of this run", error)
            .next("Free some space, or set XDG_STATE_HOME to another disk")
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
    use super::lowered;

    #[test]
    fn a_sentence_becomes_a_message() {
        assert_eq!(lowered("The key has expired."), "the key has expired");
        assert_eq!(lowered("STEP files only"), "STEP files only");
        assert_eq!(lowered(""), "");
    }
}
