//! Ids: a type for each kind, so that swapped ids do not compile. All are UUIDs; new ones are version 7.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::time::Timestamp;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new id, ordered by `now` (UUID version 7).
            pub fn new(now: Timestamp) -> Self {
                Self(uuid_v7(now))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::try_parse(text).map(Self)
            }
        }
    )+};
}

ids! {
    /// A person's account.
    UserId;
    /// An organization's account.
    OrganizationId;
    /// The owner of a project: a user or an organization, whose ids never collide.
    OwnerId;
    /// An API key's record (not the key).
    ApiKeyId;
    /// A project.
    ProjectId;
    /// An object of a project's tree; never changes. The project object has the project's id.
    ObjectId;
    /// A session on a project.
    SessionId;
    /// A run of a session's agent; the API calls its id `taskId`.
    RunId;
    /// An execution of a Code object.
    ExecutionId;
    /// An evaluation run: a separate sandbox that an execution requested.
    EvaluationRunId;
    /// A message of a session's conversation.
    MessageId;
    /// A row of what was spent.
    UsageEventId;
    /// A team of an organization.
    TeamId;
    /// A card of a project.
    CardId;
    /// A tag of a project's catalog.
    TagId;
    /// A comment on a card.
    CommentId;
    /// A row of the card history; the last row of a card is its head.
    HistoryId;
    /// A status column of a team's board.
    StatusId;
    /// A sprint of a team.
    SprintId;
    /// One upload, and the change that attaches its result: applied at most once.
    UploadId;
    /// A request; sent as `X-Request-Id` where the client sends none.
    RequestId;
    /// A running process of either plane.
    ProcessId;
}

impl From<UserId> for OwnerId {
    fn from(id: UserId) -> Self {
        Self(id.0)
    }
}

impl From<OrganizationId> for OwnerId {
    fn from(id: OrganizationId) -> Self {
        Self(id.0)
    }
}

impl From<ProjectId> for ObjectId {
    /// The project object, the root of the tree.
    fn from(id: ProjectId) -> Self {
        Self(id.0)
    }
}

fn uuid_v7(now: Timestamp) -> Uuid {
    let nanos = now.0.unix_timestamp_nanos();
    let seconds = u64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or_default();
    let subsec = u32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or_default();
    Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, subsec))
}
