//! Sessions: records, statuses and connection ids.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::project::BranchName;
use crate::id::{EvaluationRunId, ExecutionId, ProjectId, SessionId, UserId};
use crate::time::Timestamp;
use crate::work::approval::ApprovableEffect;
use crate::work::usage::MicroCredits;

/// Prefix of data-plane connection ids.
const CONNECTION_PREFIX: &str = "headless-";
/// Follows the prefix in the connection ids of sandboxes.
const SANDBOX_PREFIX: &str = "exec-";
/// Longest connection id, in bytes.
const CONNECTION_MAX_BYTES: usize = 255;

/// The run status of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// The session lapsed or was closed; create a new one.
    NoSession,
    /// The session is known, but its project has unloaded.
    ProjectNotRunning,
    /// Live, without a run so far.
    Idle,
    /// A run is being set up.
    Starting,
    /// A run is in progress.
    Running,
    /// The run was stopped; a new prompt can follow.
    Paused,
    /// The run finished.
    Completed,
    /// The run failed.
    Failed,
    /// The registry of sessions can't be read. Never stored.
    Unknown,
}

/// The id of a data-plane connection: `headless-{sessionId}`, or `headless-exec-{executionId}` for an execution.
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

    /// The connection of grants for downloads, which belong to no session.
    pub fn of_downloads() -> Self {
        Self(format!("{CONNECTION_PREFIX}download"))
    }

    /// The connection of grants for attachments, which belong to no session.
    pub fn of_attachments() -> Self {
        Self(format!("{CONNECTION_PREFIX}attachments"))
    }

    /// The execution of a sandbox's connection; `None` for other connections.
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
        let is_storable = text.len() <= CONNECTION_MAX_BYTES && !text.contains('\0');
        if is_storable && text.starts_with(CONNECTION_PREFIX) {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidConnectionId)
        }
    }
}

impl fmt::Display for ConnectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text is not a data-plane connection id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must start with `headless-`")]
pub struct InvalidConnectionId;

/// A session as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// Id.
    pub id: SessionId,
    /// Its only project.
    pub project: ProjectId,
    /// Its branch.
    pub branch: BranchName,
    /// Its creator and owner.
    pub created_by: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of closing, which revoked its grants.
    pub closed_at: Option<Timestamp>,
    /// Its settings. Outcomes that were recorded before they were part of it have none.
    #[serde(default)]
    pub settings: SessionSettings,
}

/// The choices of a session's creator, which hold for all its runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSettings {
    /// The name of its runs' model in this deployment; `None`: the first one.
    pub model: Option<String>,
    /// The toolboxes that its runs may use; `None`: all.
    pub toolboxes: Option<Vec<String>>,
    /// Most cost of all its runs together.
    pub budget: Option<MicroCredits>,
    /// The effects that tools of its runs have without a question; `None`: all.
    pub auto_approved: Option<Vec<ApprovableEffect>>,
}

#[cfg(test)]
mod tests {
    use super::ConnectionId;
    use crate::id::{ExecutionId, SessionId};
    use crate::time::Timestamp;

    #[test]
    fn a_sandbox_connection_names_its_execution() {
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
        for good in
            ["headless-", "headless-a/b", "headless-\u{e9} ~", &format!("headless-{}", "x".repeat(246))]
        {
            assert!(good.parse::<ConnectionId>().is_ok(), "{good}");
        }
        let long = format!("headless-{}", "x".repeat(247));
        for bad in ["", "headless", "HEADLESS-1", "xheadless-1", "headless-\0", &long] {
            assert!(bad.parse::<ConnectionId>().is_err(), "{bad}");
        }
    }
}
