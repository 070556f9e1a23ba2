//! The failures of requests, told apart by what a caller can do about them.

use std::time::Duration;

use domain::Code;
use domain::error::{Issue, Refusal};
use serde::Deserialize;
use serde_json::Value;

/// The result of every request.
pub type RequestResult<T, E = RequestError> = std::result::Result<T, E>;

/// A failed request. It never holds a credential.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The service answered with an error. A repeat helps only where the code says so.
    #[error("{0}")]
    Refused(Box<ErrorAnswer>),
    /// No connection came about, so that nothing was sent.
    #[error("cannot reach {host}: {cause}")]
    Unreachable {
        /// The address.
        host: String,
        /// The reason, as the system words it.
        cause: String,
    },
    /// The connection broke before the answer was complete. The request may have been applied.
    #[error("the connection to {host} broke: {cause}")]
    Interrupted {
        /// The address.
        host: String,
        /// The reason, as the system words it.
        cause: String,
    },
    /// The answer is not of this service, or of another version of it.
    #[error("unexpected answer of {host}: {cause}")]
    Unexpected {
        /// The address.
        host: String,
        /// The difference from the expected answer.
        cause: String,
    },
    /// The path leads to another scheme, host or port than the service's. Nothing was sent.
    #[error("\"{path}\" is not a path of the service")]
    Path {
        /// The path.
        path: String,
    },
    /// A local file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Path of the file.
        path: String,
        /// The reason.
        source: std::io::Error,
    },
    /// A local file changed while it was sent. Nothing of it was attached.
    #[error("{path} changed while it was read")]
    FileChanged {
        /// Path of the file.
        path: String,
    },
    /// The received or stored bytes have another hash than the sent ones.
    #[error("the bytes of {name} arrived damaged")]
    Damaged {
        /// Name of the file.
        name: String,
    },
}

/// An error as the service answered it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ErrorAnswer {
    /// HTTP status.
    pub status: u16,
    /// Stable code; `None` for an answer that is not of the service, and for codes of later versions.
    pub code: Option<Code>,
    /// The code as it was sent; empty for an answer that is not of the service.
    pub code_text: String,
    /// For people; may be reworded.
    pub message: String,
    /// Fields specific to the failure.
    pub details: Option<Value>,
    /// Id of the request in the service's logs.
    pub request_id: Option<String>,
    /// The time to wait before a repeat makes sense.
    pub retry_after: Option<Duration>,
    /// The body as it was sent; empty for a part of a request.
    pub body: Vec<u8>,
}

impl ErrorAnswer {
    /// Reads the envelope of an error; any other body becomes a message with the status.
    pub(crate) fn of_body(status: u16, body: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Envelope {
            error: Content,
        }
        #[derive(Deserialize)]
        struct Content {
            code: String,
            message: String,
            #[serde(default)]
            details: Option<Value>,
        }
        let envelope: Option<Envelope> = serde_json::from_slice(body).ok();
        let (code_text, message, details) = match envelope {
            Some(Envelope { error }) => (error.code, error.message, error.details),
            None => (String::new(), format!("the service answered with status {status}"), None),
        };
        let code = serde_json::from_value(Value::String(code_text.clone())).ok();
        Self {
            status,
            code,
            code_text,
            message,
            details,
            request_id: None,
            retry_after: None,
            body: body.to_vec(),
        }
    }

    /// The failure of one part of a request whose answer tells it in its body.
    pub(crate) fn of_refusal(refusal: Refusal) -> Self {
        let Refusal { code, message, details } = refusal;
        let code_text = serde_json::to_value(code).ok().and_then(|text| text.as_str().map(str::to_owned));
        let status = match code {
            Code::Unauthenticated | Code::CredentialExpired => 401,
            Code::Forbidden | Code::InsufficientScope | Code::LimitReached => 403,
            Code::NotFound => 404,
            Code::PreconditionFailed => 412,
            Code::RateLimited => 429,
            Code::Unavailable => 503,
            _ => 422,
        };
        Self {
            status,
            code: Some(code),
            code_text: code_text.unwrap_or_default(),
            message,
            details,
            request_id: None,
            retry_after: None,
            body: Vec::new(),
        }
    }

    /// The broken rules of a request that was refused as invalid.
    pub fn issues(&self) -> Vec<Issue> {
        let issues = self.details.as_ref().and_then(|details| details.get("issues"));
        issues.and_then(|issues| Vec::deserialize(issues).ok()).unwrap_or_default()
    }

    /// True for a 503 whose change may have been applied, and for statuses that only a proxy answers.
    pub fn is_outcome_unknown(&self) -> bool {
        let outcome = self.details.as_ref().and_then(|details| details.get("outcome"));
        matches!(self.status, 502 | 504)
            || (self.status == 503 && outcome.and_then(Value::as_str) != Some("none"))
    }
}

impl RequestError {
    /// The code of a refusal.
    pub fn code(&self) -> Option<Code> {
        self.answer().and_then(|answer| answer.code)
    }

    /// The answer of a refusal.
    pub fn answer(&self) -> Option<&ErrorAnswer> {
        match self {
            Self::Refused(answer) => Some(answer),
            _ => None,
        }
    }

    /// True if the credential is not accepted.
    pub fn is_unauthenticated(&self) -> bool {
        self.answer().is_some_and(|answer| answer.status == 401)
    }

    /// True if the resource is absent or hidden.
    pub fn is_not_found(&self) -> bool {
        self.answer().is_some_and(|answer| answer.status == 404)
    }

    /// True if the service asked for fewer requests, or was too busy.
    pub fn is_backpressure(&self) -> bool {
        self.answer().is_some_and(|answer| matches!(answer.status, 429 | 503))
    }

    /// True if the network failed, rather than the service or its answer.
    pub fn is_network(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Interrupted { .. })
    }

    /// The time that the service asked to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        self.answer().and_then(|answer| answer.retry_after)
    }

    /// A failure to read or write a local file.
    pub fn file(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::File { path: path.display().to_string(), source }
    }
}

#[cfg(test)]
mod tests {
    use domain::Code;

    use super::ErrorAnswer;

    #[test]
    fn an_envelope_is_read_and_a_proxys_page_becomes_a_message() {
        let body = br#"{"success":false,"error":{"code":"NOT_FOUND","message":"m","details":{"a":1}}}"#;
        let read = ErrorAnswer::of_body(404, body);
        assert_eq!((read.code, read.message.as_str()), (Some(Code::NotFound), "m"));
        let page = ErrorAnswer::of_body(502, b"<html>Bad Gateway</html>");
        assert_eq!((page.code, page.is_outcome_unknown()), (None, true));
        let later = ErrorAnswer::of_body(409, br#"{"error":{"code":"OF_LATER","message":"m"}}"#);
        assert_eq!((later.code, later.code_text.as_str()), (None, "OF_LATER"));
    }

    #[test]
    fn a_503_tells_if_it_was_applied() {
        let none = br#"{"error":{"code":"UNAVAILABLE","message":"m","details":{"outcome":"none"}}}"#;
        let unknown = br#"{"error":{"code":"UNAVAILABLE","message":"m","details":{"outcome":"unknown"}}}"#;
        assert!(!ErrorAnswer::of_body(503, none).is_outcome_unknown());
        assert!(ErrorAnswer::of_body(503, unknown).is_outcome_unknown());
    }
}
