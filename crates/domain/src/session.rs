//! Sessions: statuses, connection ids, and what a session's record holds.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{EvaluationRunId, ExecutionId, ProjectId, SessionId, UserId};
use crate::project::BranchName;
use crate::time::Timestamp;

/// What every data-plane connection id starts with.
const CONNECTION_PREFIX: &str = "headless-";
/// What follows it in the connection ids of sandboxes.
const SANDBOX_PREFIX: &str = "exec-";
/// Longest connection id, in bytes.
const CONNECTION_MAX_BYTES: usize = 200;

/// A session's run status (specification, "Session run status").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// There is no record of the session: it lapsed or was closed. A new one must be created.
    NoSession,
    /// The session is known, but its project has unloaded.
    ProjectNotRunning,
    /// Live, and no run has been started.
    Idle,
    /// A run is being set up.
    Starting,
    /// A run is in progress.
    Running,
    /// A run was stopped and can continue with a new prompt.
    Paused,
    /// The run finished.
    Completed,
    /// The run ended in an error.
    Failed,
    /// The session's host could not be reached for this field; only ever read, never stored.
    Unknown,
}

/// The id of a data-plane connection: `headless-{sessionId}`, or `headless-exec-{executionId}` for a Code
/// object (specification, "Data plane").
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ConnectionId(#[schemars(regex(pattern = "^headless-"))] String);

impl ConnectionId {
    /// The connection of a session.
    pub fn of_session(session: SessionId) -> Self {
        Self(format!("{CONNECTION_PREFIX}{session}"))
    }

    /// The connection of an execution of a Code object.
    pub fn of_execution(execution: ExecutionId) -> Self {
        Self(format!("{CONNECTION_PREFIX}{SANDBOX_PREFIX}{execution}"))
    }

    /// The connection of an evaluation run's sandbox.
    pub fn of_evaluation_run(run: EvaluationRunId) -> Self {
        Self(format!("{CONNECTION_PREFIX}{SANDBOX_PREFIX}{run}"))
    }

    /// The execution whose connection this would be; `None` where it is that of no sandbox.
    pub fn execution(&self) -> Option<ExecutionId> {
        self.0.strip_prefix(CONNECTION_PREFIX)?.strip_prefix(SANDBOX_PREFIX)?.parse().ok()
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ConnectionId {
    type Err = InvalidConnectionId;

    fn from_str(text: &str) -> Result<Self, InvalidConnectionId> {
        let name = text.strip_prefix(CONNECTION_PREFIX).ok_or(InvalidConnectionId)?;
        let ok = text.len() <= CONNECTION_MAX_BYTES
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if ok { Ok(Self(text.to_owned())) } else { Err(InvalidConnectionId) }
    }
}

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is not a data-plane connection id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must start with `headless-`")]
pub struct InvalidConnectionId;

/// A session's durable record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// Id.
    pub id: SessionId,
    /// The one project that it opens.
    pub project: ProjectId,
    /// The branch that it works on.
    pub branch: BranchName,
    /// Whose session it is.
    pub created_by: UserId,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was closed; its grants are dead from then on.
    pub closed_at: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::ConnectionId;
    use crate::id::{ExecutionId, SessionId};
    use crate::time::Timestamp;

    #[test]
    fn a_connection_tells_which_execution_it_is_of() {
        let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        let execution = ExecutionId::new(now);
        let connection = ConnectionId::of_execution(execution);
        assert_eq!(connection.as_str(), format!("headless-exec-{execution}"));
        assert_eq!(connection.execution(), Some(execution));
        assert_eq!(ConnectionId::of_session(SessionId::new(now)).execution(), None);
    }

    #[test]
    fn a_connection_id_starts_with_headless() {
        assert!("headless-0198c5f0-0000-7000-8000-000000000001".parse::<ConnectionId>().is_ok());
        assert!("headless-exec-1".parse::<ConnectionId>().is_ok());
        for bad in ["", "headless", "HEADLESS-1", "xheadless-1", "headless-a/b", "headless-\n"] {
            assert!(bad.parse::<ConnectionId>().is_err(), "{bad}");
        }
    }
}
