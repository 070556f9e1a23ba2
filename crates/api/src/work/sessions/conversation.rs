//! A session's conversation: prompts, runs, messages, events.

use domain::id::{RunId, SessionId};
use domain::page::PageMeta;
use domain::work::conversation::{Message, PromptText};
use domain::work::session::SessionStatus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change_events::LAST_EVENT_ID;
use crate::operation::{Json, Raw};
use crate::page::PageQuery;
use crate::work::sessions::SessionPath;
use crate::{operations, tags};

operations! {
    tag: tags::SESSIONS;

    /// Stops the run in progress as `paused`. The conversation stays, and a new prompt continues it. Without a run the
    /// answer is `stopped: false`. Causes the event `run.status`.
    StopRun = Post "/api/v2/projects/{projectId}/sessions/{sessionId}/stop" {
        summary: "Stop a session's run",
        path: SessionPath,
        answer: StopRunResponse,
        effect: Idempotent,
        tool: NotATool("controls the session itself"),
    }

    /// Gives the agent a task. The answer comes at once, with the run's `taskId`; the run goes on. Follow it by
    /// `streamEvents`. A run in progress is `RUN_IN_PROGRESS`, a deployment without a model `MODEL_NOT_CONFIGURED`, a
    /// budget that is spent `CREDITS_EXHAUSTED`.
    PromptSession = Post "/api/v2/projects/{projectId}/sessions/{sessionId}/prompt" {
        summary: "Prompt a session's agent",
        path: SessionPath,
        body: Json<PromptSessionRequest>,
        answer: PromptSessionResponse,
        effect: Creates,
        tool: NotATool("controls the session itself"),
    }

    /// Reads the conversation with the agent, oldest first.
    ListMessages = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/messages" {
        summary: "Read a session's conversation",
        path: SessionPath,
        query: PageQuery,
        answer: ListMessagesResponse,
        effect: Reads,
        tool: ClientsOnly("sessions", "controls the session itself"),
    }

    /// Streams what the session itself does (uploads, runs, tools, executions), not changes by keys or other sessions,
    /// as server-sent events: from the oldest that is kept (7 days), `Last-Event-ID` or `after`. Where events are gone,
    /// one `resync` says so: read the resources again. `follow=false` answers the kept events only. After the last
    /// event of a closed session the answer is 204.
    StreamEvents = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/events" {
        summary: "Follow a session's events",
        path: SessionPath,
        query: StreamEventsQuery,
        answer: Raw,
        effect: Reads,
        tool: NotATool("controls the session itself"),
        also: reads(&[LAST_EVENT_ID]),
    }
}

/// The range of events.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StreamEventsQuery {
    /// Only events with a greater sequence. Defaults to all that are kept. `Last-Event-ID` takes precedence.
    #[schemars(range(min = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// Wait for new events after the existing ones. Defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub follow: Option<bool>,
}

/// A page of messages, in their order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListMessagesResponse {
    /// The messages.
    pub messages: Vec<Message>,
    /// The page.
    pub meta: PageMeta,
}

/// The prompt.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PromptSessionRequest {
    /// The agent's task.
    #[schemars(extend("format" = "visible-text"))]
    pub prompt: PromptText,
}

/// The run that answers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptSessionResponse {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub task_id: RunId,
    /// State.
    pub status: SessionStatus,
}

/// The result of stopping.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StopRunResponse {
    /// The session.
    pub session_id: SessionId,
    /// The stopped run; empty if there was none.
    pub task_id: String,
    /// True if a run was stopped.
    pub stopped: bool,
    /// The status after the request.
    pub status: SessionStatus,
}
