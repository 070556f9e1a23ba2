//! The conversation of a session: messages, and the agent's runs that answer them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::Refusal;
use crate::id::{MessageId, RunId, SessionId, UserId};
use crate::text::Text;
use crate::time::Timestamp;
use crate::work::session::SessionStatus;

/// Longest prompt, in characters.
pub const PROMPT_MAX_CHARS: usize = 32_000;

/// A user's prompt to the agent.
pub type PromptText = Text<PROMPT_MAX_CHARS>;

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user who prompted.
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
pub enum MessagePart {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// The model calls a tool.
    ToolCall {
        /// Id, to which the result refers.
        call_id: String,
        /// The tool, as `{toolbox}__{tool}`.
        name: String,
        /// Its arguments.
        params: Map<String, Value>,
    },
    /// The result of a tool call.
    ToolResult {
        /// The call.
        call_id: String,
        /// The tool, as in the call; empty in old messages.
        #[serde(default)]
        name: String,
        /// True if the tool refused or failed, or the run ended before its answer.
        is_error: bool,
        /// The tool's answer.
        text: String,
    },
}

/// The content of a message that only models read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ModelContent {
    /// A model's answer as its server sent it. It holds what a server expects back and no other server understands:
    /// reasoning, signatures, ids of calls.
    Answer {
        /// The server and its model.
        origin: String,
        /// The message of the server's protocol.
        message: Value,
    },
    /// The pictures of a tool's result.
    Pictures {
        /// In their order.
        pictures: Vec<Picture>,
    },
}

/// Bytes of text that cost a model as much as a picture, about.
pub const PICTURE_BYTES: usize = 6_000;

/// A picture of a type that models take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Picture {
    /// The media type, told by the first bytes.
    pub media_type: String,
    /// The bytes in base64.
    pub data: String,
}

/// A message of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Id.
    pub id: MessageId,
    /// Number in the session, from 1.
    pub sequence: i64,
    /// Its run; null while it waits for one.
    pub task_id: Option<RunId>,
    /// The user who prompted that run.
    #[serde(default)]
    pub prompted_by: Option<UserId>,
    /// The author of a message.
    pub role: Role,
    /// Content.
    pub parts: Vec<MessagePart>,
    /// Time of addition.
    pub created_at: Timestamp,
    /// The content that only models read, if it was asked for.
    #[serde(skip)]
    pub model_content: Option<ModelContent>,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Being set up.
    Starting,
    /// In progress.
    Running,
    /// Stopped; a new prompt can follow.
    Paused,
    /// Finished.
    Completed,
    /// Failed.
    Failed,
}

/// A run's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Id, in JSON `taskId`.
    pub id: RunId,
    /// Its session.
    pub session: SessionId,
    /// State.
    pub status: RunStatus,
    /// The reason of a failed run.
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
