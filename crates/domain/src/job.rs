//! Jobs: work that one process does under a lease, outside of any request.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::id::{ExecutionId, RunId};

/// A job, by its kind and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum JobId {
    /// A run of a session's agent.
    AgentRun(RunId),
    /// An execution of a Code object.
    CodeExecution(ExecutionId),
}

impl JobId {
    /// The id without the kind, as the job's row has it.
    pub fn uuid(self) -> Uuid {
        match self {
            Self::AgentRun(RunId(id)) | Self::CodeExecution(ExecutionId(id)) => id,
        }
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AgentRun(run) => write!(f, "agent run {run}"),
            Self::CodeExecution(execution) => write!(f, "code execution {execution}"),
        }
    }
}
