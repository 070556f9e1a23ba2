//! Events of a session: what happened in it, numbered in order.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::time::Timestamp;

/// What an event is about. Clients branch on it, so a name is never changed; they ignore what they don't know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum EventType {
    /// The session was opened.
    #[serde(rename = "session.created")]
    SessionCreated,
    /// The session was closed: its last event.
    #[serde(rename = "session.closed")]
    SessionClosed,
    /// Objects of the session's branch were changed through the session.
    #[serde(rename = "objects.changed")]
    ObjectsChanged,
    /// An upload through the session has got further, or has failed. That it is done, `objects.changed` tells.
    #[serde(rename = "upload.changed")]
    UploadChanged,
    /// A run began, went on or ended.
    #[serde(rename = "run.status")]
    RunStatus,
    /// A message was added to the conversation.
    #[serde(rename = "message.created")]
    MessageCreated,
    /// A piece of the message that the model is writing. The whole follows as a message of its own, unless the run ends
    /// before.
    #[serde(rename = "message.delta")]
    MessageDelta,
    /// A tool is being used.
    #[serde(rename = "tool.started")]
    ToolStarted,
    /// A tool has answered, refused or failed.
    #[serde(rename = "tool.finished")]
    ToolFinished,
    /// An execution of a Code object began, or ended.
    #[serde(rename = "execution.changed")]
    ExecutionChanged,
    /// A piece of what an execution writes. The whole can be read as long as the execution is kept.
    #[serde(rename = "execution.output")]
    ExecutionOutput,
    /// Events that the client has not seen are kept no longer; what they were about has to be read anew. Stands in
    /// streams alone, and is never stored.
    #[serde(rename = "resync")]
    Resync,
}

/// An event to be appended to those of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// What it is about.
    pub kind: EventType,
    /// What there is to say, by type.
    pub data: Value,
}

/// An event of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionEvent {
    /// Counts from 1 in each session; one that is greater was committed later.
    pub sequence: i64,
    /// What it is about.
    pub kind: EventType,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// What there is to say, by type.
    pub data: Value,
}
