//! Executions of Code objects.

use domain::content::project::ProjectRef;
use domain::id::{ExecutionId, ObjectId, SessionId, UserId};
use domain::page::PageMeta;
use domain::time::Timestamp;
use domain::work::execution::{ExecutionFailure, ExecutionInput, ExecutionRecord, ExecutionState, Language};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::operation::Json;
use crate::page::PageQuery;
use crate::work::sessions::SessionPath;
use crate::{operations, tags};

operations! {
    tag: tags::EXECUTIONS;

    /// Lists the executions of a session, newest first.
    ListExecutions = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/executions" {
        summary: "List a session's executions",
        path: SessionPath,
        query: PageQuery,
        answer: ListExecutionsResponse,
        effect: Reads,
        tool: Toolbox("code"),
    }

    /// Runs the text of an object of type `Code` as it is now, in JavaScript or Python, with `input`. A language
    /// without an engine is `LANGUAGE_NOT_SUPPORTED`. Too many at once are `RATE_LIMITED`. Follow it by the events
    /// `execution.changed` and `execution.output`.
    CreateExecution = Post "/api/v2/projects/{projectId}/sessions/{sessionId}/executions" {
        summary: "Execute a Code object",
        path: SessionPath,
        body: Json<CreateExecutionRequest>,
        answer: ExecutionResponse,
        effect: Creates,
        tool: Toolbox("code"),
    }

    /// Answers an execution's state with its output, 256 KiB of which are kept.
    GetExecution = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/executions/{executionId}" {
        summary: "Read an execution with its output",
        path: ExecutionPath,
        answer: ExecutionResponse,
        effect: Reads,
        tool: Toolbox("code"),
    }

    /// Stops an execution that has not ended. One that has ended stays as it is. Causes the event `execution.changed`.
    StopExecution = Post "/api/v2/projects/{projectId}/sessions/{sessionId}/executions/{executionId}/stop" {
        summary: "Stop an execution",
        path: ExecutionPath,
        answer: StopExecutionResponse,
        effect: Idempotent,
        tool: Toolbox("code"),
    }
}

/// An execution of a Code object.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Execution {
    /// Id.
    pub execution_id: ExecutionId,
    /// Its session.
    pub session_id: SessionId,
    /// The Code object. Its text is that at the time of the request.
    pub object_id: ObjectId,
    /// The language of the code.
    pub language: Language,
    /// State.
    pub state: ExecutionState,
    /// The failure, if it failed.
    pub failure: Option<ExecutionFailure>,
    /// The output so far; null in lists.
    pub output: Option<String>,
    /// True if the output was cut at its limit.
    pub truncated: bool,
    /// The user who requested it.
    pub created_by: UserId,
    /// The time of the request.
    pub created_at: Timestamp,
    /// The time of its start; null before.
    pub started_at: Option<Timestamp>,
    /// The time of its end; null before.
    pub ended_at: Option<Timestamp>,
}

impl Execution {
    /// An execution as its readers see it, with its output where that is asked for.
    pub fn of(record: ExecutionRecord, output: Option<String>) -> Self {
        Self {
            execution_id: record.id,
            session_id: record.session,
            object_id: record.object,
            language: record.language,
            state: record.state,
            failure: record.failure,
            output,
            truncated: record.truncated,
            created_by: record.created_by,
            created_at: record.created_at,
            started_at: record.started_at,
            ended_at: record.ended_at,
        }
    }
}

/// One execution.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExecutionResponse {
    /// The execution.
    pub execution: Execution,
}

/// The code and its input.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateExecutionRequest {
    /// An object of type `Code` of the session's branch, in JavaScript or Python.
    pub object_id: ObjectId,
    /// Value of `atelier.input` for the code, at most 256 KiB.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub input: ExecutionInput,
}

/// A page of executions, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListExecutionsResponse {
    /// The executions.
    pub executions: Vec<Execution>,
    /// The page.
    pub meta: PageMeta,
}

/// The result of stopping.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StopExecutionResponse {
    /// True if this request stopped it.
    pub stopped: bool,
    /// The execution after that, with its output.
    pub execution: Execution,
}

/// The path of an operation on one execution.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The session.
    pub session_id: SessionId,
    /// The execution.
    pub execution_id: ExecutionId,
}
