//! Messages between processes: requests, answers, and their JSON.

use domain::id::ProcessId;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::seal::MessageKey;

/// A request to another process. It may arrive twice, or after its sender gave up, without harm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ProcessRequest {
    /// Work on a job that is assigned to this process.
    StartJob {
        /// The job.
        job: NamedJob,
    },
    /// Stop a job that this process works on. It is done once the job's end is written.
    StopJob {
        /// The job.
        job: NamedJob,
    },
}

/// A job as another process names it, whose version of the service may have kinds of jobs that this one hasn't.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedJob {
    /// The name of its kind.
    pub kind: String,
    /// Its id.
    pub id: Uuid,
}

/// The answer to a request that was handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum ProcessResponse {
    /// The request is done, now or before.
    Done,
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
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Receiver {
    pub(crate) process: ProcessId,
}

/// The two kinds of entries.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntryBody {
    Request {
        from: ProcessId,
        request: ProcessRequest,
    },
    /// `None`: the receiver declines the request. It has too many, or doesn't know this one or its kind of job.
    Answer {
        response: Option<ProcessResponse>,
    },
}

/// The readable part of a request of another version. Its receiver may be of a kind that this version doesn't know.
#[derive(Deserialize)]
pub(crate) struct Unreadable {
    pub(crate) id: Uuid,
    pub(crate) body: UnreadableBody,
}

/// As [`EntryBody`].
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UnreadableBody {
    Request { from: ProcessId },
}
