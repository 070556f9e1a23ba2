//! Evaluation runs.

use domain::id::{EvaluationRunId, ExecutionId, ProjectId};
use domain::project::BranchName;
use domain::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sessions::DataPlane;

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
