//! What processes ask each other, and how that is written.

use domain::id::{ProcessId, SessionId};
use domain::job::JobId;
use domain::session::{ConnectionId, SessionStatus};
use domain::upload::{AttachOutcome, LockedRows};
use domain::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// A request to a session's host. It may arrive twice, and after its sender gave up: handling it must bear that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Request {
    /// Attach finished uploads to the trees of their sessions; answered by [`Response::Attached`].
    Attach {
        /// The uploads. With [`LockedRows::Wait`] all of them have the same session.
        uploads: Vec<SentUpload>,
        /// Treatment of uploads that would have to wait for another transaction.
        locked: LockedRows,
    },
    /// What the session's run is doing; answered by [`Response::SessionStatus`].
    SessionStatus {
        /// The session.
        session: SessionId,
    },
    /// Work on a job that was assigned to this process; answered by [`Response::Done`].
    StartJob {
        /// The job.
        job: JobId,
    },
    /// Stop a job that this process works on; answered by [`Response::Done`] once its end is written.
    StopJob {
        /// The job.
        job: JobId,
    },
}

/// A finished upload on its way to its session's host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentUpload {
    /// The session's connection, which the sender believes to be live here.
    pub connection: ConnectionId,
    /// The upload as JSON text. The inbox's reader doesn't parse it, and the sender knows its size from it.
    pub upload: String,
}

/// A host's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "snake_case")]
pub enum Response {
    /// The outcome of each upload, in their order.
    Attached(Vec<AttachOutcome>),
    /// The status of the session's run.
    SessionStatus(SessionStatus),
    /// It is done, or was before.
    Done,
    /// This process does not host that session or connection (any more).
    NotHosted,
    /// The request was refused or failed.
    Failed(Failure),
}

/// An error that crosses from one process to another, without its cause, which stays in the log of the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Stable code.
    pub code: Code,
    /// Message for people.
    pub message: String,
    /// Fields specific to the failure.
    pub details: Option<Box<Value>>,
    /// Seconds after which a repeat makes sense.
    pub retry_after_secs: Option<u32>,
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self {
            code: error.code,
            message: error.message.clone(),
            details: error.details.clone(),
            retry_after_secs: error.retry_after_secs,
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let mut error = Self::new(failure.code, failure.message);
        error.details = failure.details;
        error.retry_after_secs = failure.retry_after_secs;
        error
    }
}

/// One entry of an inbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Message {
    /// The request's id; its answer repeats it.
    pub(crate) id: Uuid,
    pub(crate) body: Body,
}

impl Message {
    /// The entry's text.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where it can't be written.
    pub(crate) fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(Error::internal)
    }
}

/// The two kinds of entries.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    Request {
        from: ProcessId,
        request: Request,
    },
    /// `None`: the receiver can't take the request (it serves none, or too many).
    Answer {
        response: Option<Response>,
    },
}

/// A request as far as a process can read it that does not know what it asks for.
#[derive(Deserialize)]
pub(crate) struct Unreadable {
    pub(crate) id: Uuid,
    pub(crate) body: UnreadableBody,
}

/// As [`Body`].
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UnreadableBody {
    Request { from: ProcessId },
}
