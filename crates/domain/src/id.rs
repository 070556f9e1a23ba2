//! Ids: a type for each kind, so that swapped ids do not compile. All are UUIDs; new ones are version 7.

pub mod list;

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};
use uuid::Uuid;

use crate::time::Timestamp;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
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
            type Err = InvalidId;
            fn from_str(text: &str) -> Result<Self, InvalidId> {
                parse(text).map(Self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(IdVisitor).map(Self)
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
    /// An invitation to an organization.
    InvitationId;
    /// A project.
    ProjectId;
    /// An object of a project's tree; never changes. The project object has the project's id.
    ObjectId;
    /// A session on a project.
    SessionId;
    /// A run of a session's agent; the API calls its id `taskId`.
    RunId;
    /// A question whether a session's agent may call a tool.
    ApprovalId;
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
    /// A type of cards that a project defines.
    CardTypeId;
    /// A custom field of a project's cards.
    FieldId;
    /// An option of a custom field.
    FieldOptionId;
    /// A comment on a card.
    CommentId;
    /// A line of a card's checklist.
    ChecklistItemId;
    /// A file that is attached to a card.
    AttachmentId;
    /// A saved view of cards.
    ViewId;
    /// An import of cards from another tool.
    ImportId;
    /// A calendar feed's record (not its address).
    CalendarFeedId;
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

/// The text is not an id: hexadecimal digits in any case, in five groups with hyphens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a UUID with hyphens")]
pub struct InvalidId;

/// Reads the form of RFC 9562, in any case; refuses the others: without hyphens, in braces, URNs.
fn parse(text: &str) -> Result<Uuid, InvalidId> {
    let is_hyphenated = text.len() == uuid::fmt::Hyphenated::LENGTH;
    Uuid::try_parse(text).ok().filter(|_| is_hyphenated).ok_or(InvalidId)
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = Uuid;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a UUID")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Uuid, E> {
        parse(text).map_err(E::custom)
    }
}

fn uuid_v7(now: Timestamp) -> Uuid {
    let nanos = now.0.unix_timestamp_nanos();
    let seconds = u64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or_default();
    let subsec = u32::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or_default();
    Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, seconds, subsec))
}

#[cfg(test)]
mod tests {
    use super::{CardId, InvalidId};

    #[test]
    fn an_id_is_read_in_one_form_and_any_case() {
        let text = "0198c5f0-0000-7000-8000-00000000000a";
        let id: CardId = text.parse().unwrap();
        assert_eq!((id.to_string().as_str(), serde_json::from_value(text.into()).ok()), (text, Some(id)));
        for case in [text.to_uppercase(), text.replace('c', "C")] {
            let read: CardId = case.parse().unwrap();
            assert_eq!((read, read.to_string().as_str()), (id, text), "{case}");
            assert_eq!(serde_json::from_value(case.into()).ok(), Some(id));
        }
        for bad in [
            text.replace('-', ""),
            format!("{{{text}}}"),
            format!("urn:uuid:{text}"),
            format!(" {text}"),
            text.replace("-7", "7-"),
            String::new(),
        ] {
            assert_eq!(bad.parse::<CardId>(), Err(InvalidId), "{bad}");
            assert!(serde_json::from_value::<CardId>(bad.into()).is_err());
        }
    }
}
