//! Executions of Code objects, in a session.

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
    /// The Code object, which was executed as it was when that was asked for.
    object_id: ObjectId,
    /// The language of the code.
    language: Language,
    /// What it is doing.
    state: ExecutionState,
    /// Why it failed; null where it did not.
    failure: Option<ExecutionFailure>,
    /// What the code wrote so far; null in lists.
    output: Option<String>,
    /// Whether it wrote more than is kept.
    truncated: bool,
    /// Who asked for it.
    created_by: UserId,
    /// When it was asked for.
    created_at: Timestamp,
    /// When its turn came; null before.
    started_at: Option<Timestamp>,
    /// When it ended; null before.
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
