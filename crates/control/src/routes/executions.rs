//! Executions of Code objects in a session.

pub mod create;
pub mod get;
pub mod list;
pub mod stop;

use domain::execution::{ExecutionFailure, ExecutionRecord, ExecutionState, Language};
use domain::id::{ExecutionId, ObjectId, SessionId, UserId};
use domain::project::ProjectRef;
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{ExecutionRef, SessionRef};
use wire::{Endpoint, Resource, get, post};

use crate::app::App;

/// The endpoints of executions.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/sessions/{sessionId}/executions").with([
        get("", "listExecutions", "List a session's executions", list::handle).tool("code"),
        post("", "createExecution", "Execute a Code object", create::handle).tool("code"),
        get("/{executionId}", "getExecution", "Read an execution with its output", get::handle).tool("code"),
        post("/{executionId}/stop", "stopExecution", "Stop an execution", stop::handle).tool("code"),
    ])
}

/// The path of an operation on one execution.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The session.
    session_id: SessionId,
    /// The execution.
    execution_id: ExecutionId,
}

impl ExecutionPath {
    fn target(&self) -> ExecutionRef {
        let session = SessionRef { project: self.project_id.clone(), session: self.session_id };
        ExecutionRef { session, execution: self.execution_id }
    }
}

/// An execution of a Code object.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Execution")]
pub struct ExecutionView {
    /// Id.
    execution_id: ExecutionId,
    /// Its session.
    session_id: SessionId,
    /// The Code object. Its text is that at the time of the request.
    object_id: ObjectId,
    /// The language of the code.
    language: Language,
    /// State.
    state: ExecutionState,
    /// The failure, if it failed.
    failure: Option<ExecutionFailure>,
    /// The output so far; null in lists.
    output: Option<String>,
    /// True if the output was cut at its limit.
    truncated: bool,
    /// The user who requested it.
    created_by: UserId,
    /// The time of the request.
    created_at: Timestamp,
    /// The time of its start; null before.
    started_at: Option<Timestamp>,
    /// The time of its end; null before.
    ended_at: Option<Timestamp>,
}

/// One execution.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExecutionResponse")]
pub struct ExecutionAnswer {
    execution: ExecutionView,
}

impl ExecutionView {
    fn of(record: ExecutionRecord, output: Option<String>) -> Self {
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
