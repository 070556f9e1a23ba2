//! Executions of Code objects in a session.

pub mod create;
pub mod get;
pub mod list;
pub mod stop;

use domain::id::{ExecutionId, SessionId};
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
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
