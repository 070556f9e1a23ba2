//! Events of a session, numbered in the order of their commits.

pub mod change;
pub mod typed;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::time::Timestamp;

/// The type of an event. Clients branch on it, so a name never changes; they ignore types that they don't know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum EventType {
    /// The session was opened.
    #[serde(rename = "session.created")]
    SessionCreated,
    /// The session was closed. Always the last event.
    #[serde(rename = "session.closed")]
    SessionClosed,
    /// The session changed objects of its branch.
    #[serde(rename = "objects.changed")]
    ObjectsChanged,
    /// An upload of the session made progress or failed. Its success is announced by `objects.changed`.
    #[serde(rename = "upload.changed")]
    UploadChanged,
    /// A run started, continued or ended.
    #[serde(rename = "run.status")]
    RunStatus,
    /// A run waits, because the model's server asks for a pause.
    #[serde(rename = "run.waiting")]
    RunWaiting,
    /// A message was added to the conversation.
    #[serde(rename = "message.created")]
    MessageCreated,
    /// A part of the message that the model is writing. The whole message follows, unless the run ends first.
    #[serde(rename = "message.delta")]
    MessageDelta,
    /// A tool call started.
    #[serde(rename = "tool.started")]
    ToolStarted,
    /// A tool call ended.
    #[serde(rename = "tool.finished")]
    ToolFinished,
    /// A run was paused, because a person has to decide whether it may call a tool.
    #[serde(rename = "approval.requested")]
    ApprovalRequested,
    /// A person decided, or a new prompt or the end of the session came first.
    #[serde(rename = "approval.answered")]
    ApprovalAnswered,
    /// An execution of a Code object started or ended.
    #[serde(rename = "execution.changed")]
    ExecutionChanged,
    /// A part of an execution's output. The whole output can be read while the execution is kept.
    #[serde(rename = "execution.output")]
    ExecutionOutput,
    /// The client missed events that are no longer kept, and has to read their resources again. Sent in streams only,
    /// never stored.
    #[serde(rename = "resync")]
    Resync,
}

/// An event to append to a session.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// Type.
    pub kind: EventType,
    /// Payload, by type.
    pub data: Value,
}

/// An event of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionEvent {
    /// Number in the session, from 1, in the order of the commits.
    pub sequence: i64,
    /// Type.
    pub kind: EventType,
    /// Time of the event.
    pub occurred_at: Timestamp,
    /// Payload, by type.
    pub data: Value,
}
