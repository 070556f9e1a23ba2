//! The conversation of a session: messages, and the runs in which an agent answers them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Refusal;
use crate::id::{MessageId, RunId, SessionId, UserId};
use crate::session::SessionStatus;
use crate::text::Text;
use crate::time::Timestamp;

/// Longest prompt, in characters.
pub const PROMPT_MAX_CHARS: usize = 32_000;

/// What a person asks an agent.
pub type PromptText = Text<PROMPT_MAX_CHARS>;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Who prompted.
    User,
    /// The model.
    Assistant,
    /// A tool that the model called.
    Tool,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[schemars(rename = "MessagePart")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// The model calls a tool.
    ToolCall {
        /// What the result refers to.
        call_id: String,
        /// The tool, as `{toolbox}__{tool}`.
        name: String,
        /// Its arguments.
        params: Map<String, Value>,
    },
    /// What a tool answered.
    ToolResult {
        /// The call.
        call_id: String,
        /// The tool, as in the call; empty where that was not noted yet.
        #[serde(default)]
        name: String,
        /// Whether the tool refused or failed, or the run ended before it answered.
        is_error: bool,
        /// What it said.
        text: String,
    },
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Id.
    pub id: MessageId,
    /// Counts from 1 in each session.
    pub sequence: i64,
    /// The run that it belongs to; null where it only waits for one.
    pub task_id: Option<RunId>,
    /// Who prompted that run.
    #[serde(default)]
    pub prompted_by: Option<UserId>,
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub parts: Vec<Part>,
    /// When.
    pub created_at: Timestamp,
}

/// What a run is doing, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// It is being set up.
    Starting,
    /// It is in progress.
    Running,
    /// It was stopped, and a new prompt can follow.
    Paused,
    /// It finished.
    Completed,
    /// It ended in an error.
    Failed,
}

/// A run's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Id, which is the `taskId` of the specification.
    pub id: RunId,
    /// Its session.
    pub session: SessionId,
    /// What it is doing.
    pub status: RunStatus,
    /// Why it failed.
    pub failure: Option<Refusal>,
}

impl From<RunStatus> for SessionStatus {
    fn from(status: RunStatus) -> Self {
        match status {
            RunStatus::Starting => Self::Starting,
            RunStatus::Running => Self::Running,
            RunStatus::Paused => Self::Paused,
            RunStatus::Completed => Self::Completed,
            RunStatus::Failed => Self::Failed,
        }
    }
}
