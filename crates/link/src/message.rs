//! Messages between processes: requests, responses, and their JSON.

use domain::error::Failure;
use domain::id::{ProcessId, SessionId};
use domain::job::JobId;
use domain::session::{ConnectionId, SessionStatus};
use domain::upload::{AttachOutcome, LockedRows};
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::seal::MessageKey;

/// A request to another process. It may arrive twice, or after its sender gave up, without harm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ProcessRequest {
    /// Attach finished uploads to the trees of their sessions; answered by [`ProcessResponse::Attached`].
    Attach {
        /// The uploads. With [`LockedRows::Wait`] all of them have the same session.
        uploads: Vec<SentUpload>,
        /// Treatment of uploads that would have to wait for another transaction.
        locked: LockedRows,
    },
    /// Read the status of the session's run; answered by [`ProcessResponse::SessionStatus`].
    SessionStatus {
        /// The session.
        session: SessionId,
    },
    /// Work on a job that is assigned to this process; answered by [`ProcessResponse::Done`].
    StartJob {
        /// The job.
        job: JobId,
    },
    /// Stop a job that this process works on; answered by [`ProcessResponse::Done`] once its end is written.
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
pub enum ProcessResponse {
    /// The outcome of each upload, in their order.
    Attached(Vec<AttachOutcome>),
    /// The status of the session's run.
    SessionStatus(SessionStatus),
    /// The request is done, now or before.
    Done,
    /// This process doesn't host the session, or not any more.
    NotHosted,
    /// The request was refused or failed.
    Failed(Failure),
}

/// One entry of an inbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct InboxEntry {
    /// The request's id; its answer repeats it.
    pub(crate) id: Uuid,
    /// The only receiver that may act on it.
    pub(crate) to: Receiver,
    pub(crate) body: EntryBody,
}

impl InboxEntry {
    /// The entry's text under the deployment's seal.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where it can't be written.
    pub(crate) fn text(&self, key: &MessageKey) -> Result<String> {
        Ok(key.seal(&serde_json::to_string(self).map_err(Error::internal)?))
    }
}

/// The receiver of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Receiver {
    /// A process.
    Process(ProcessId),
    /// The host of a connection, which Redis knows. The request names the connection as well, and a process that doesn't
    /// host it declines.
    HostOf(ConnectionId),
}

/// The two kinds of entries.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntryBody {
    Request {
        from: ProcessId,
        request: ProcessRequest,
    },
    /// `None`: the receiver declines the request. It serves no requests, too many, or doesn't know this one.
    Answer {
        response: Option<ProcessResponse>,
    },
}

/// The readable part of a request of another version.
#[derive(Deserialize)]
pub(crate) struct Unreadable {
    pub(crate) id: Uuid,
    pub(crate) to: Receiver,
    pub(crate) body: UnreadableBody,
}

/// As [`EntryBody`].
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UnreadableBody {
    Request { from: ProcessId },
}
