//! Executions of code.

use api::evaluation_runs::CreateEvaluationRunResponse;
use api::executions::{
    CreateExecutionRequest, ExecutionResponse, ListExecutionsResponse, StopExecutionResponse,
};
use api::page::PageQuery;
use domain::id::{ExecutionId, ProjectId, SessionId};
use domain::project::ProjectRef;

operations! {
    /// Lists a session's executions.
    list_executions "listExecutions" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/executions"
        (project: ProjectId, session: SessionId) query PageQuery => ListExecutionsResponse;
    /// Executes a Code object.
    create_execution "createExecution" Creates POST "/api/v2/projects/{projectId}/sessions/{sessionId}/executions"
        (project: ProjectId, session: SessionId) body CreateExecutionRequest => ExecutionResponse;
    /// Reads an execution with its output.
    get_execution "getExecution" Repeatable GET "/api/v2/projects/{projectId}/sessions/{sessionId}/executions/{executionId}"
        (project: ProjectId, session: SessionId, execution: ExecutionId) => ExecutionResponse;
    /// Stops an execution.
    stop_execution "stopExecution" Repeatable POST "/api/v2/projects/{projectId}/sessions/{sessionId}/executions/{executionId}/stop"
        (project: ProjectId, session: SessionId, execution: ExecutionId) => StopExecutionResponse;
    /// Creates an evaluation run, with the grant of a running execution.
    create_evaluation_run "createEvaluationRun" Creates POST "/api/v2/projects/{projectId}/evaluation-runs"
        (project: ProjectRef) => CreateEvaluationRunResponse;
}
