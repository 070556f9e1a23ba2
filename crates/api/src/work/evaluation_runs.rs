//! Evaluation runs.

use domain::content::project::BranchName;
use domain::id::{EvaluationRunId, ExecutionId, ProjectId};
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::work::sessions::DataPlane;
use crate::{operations, tags};

operations! {
    tag: tags::EXECUTIONS;

    /// Answers a grant for a sandbox with a connection of its own. Only the grant of a running execution is accepted.
    /// An execution has a limited number of evaluation runs; one more is `RATE_LIMITED`.
    CreateEvaluationRun = Post "/api/v2/projects/{projectId}/evaluation-runs" {
        summary: "Create an evaluation run with the grant of a running execution",
        path: ProjectPath,
        answer: CreateEvaluationRunResponse,
        effect: Creates,
        tool: NotATool("only for the grants of executions"),
        also: secret(),
    }
}

/// The evaluation run, with the access of its sandbox to the data plane.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateEvaluationRunResponse {
    /// The evaluation run.
    pub evaluation_run_id: EvaluationRunId,
    /// The project.
    pub project_id: ProjectId,
    /// The branch.
    pub branch: BranchName,
    /// The execution that requested it.
    pub execution_id: ExecutionId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The access to the data plane.
    pub data_plane: DataPlane,
}

impl CreateEvaluationRunResponse {
    /// The grant of its sandbox.
    pub fn grant(&self) -> &str {
        self.data_plane.token.reveal()
    }
}
