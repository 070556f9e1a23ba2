//! The catalogue of change events: what changes in teams and projects, as streams send it and the OpenAPI document
//! describes it. See docs/design/events.md.

pub mod data;

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::content::object::CommitHash;
use crate::content::project::BranchName;
use crate::event::change::data::{
    BranchEventData, CardEventData, CardTypeEventData, ChangedCard, CommitEventData, FieldEventData,
    MembersEventData, PackageEventData, PlacementEventData, PreviewEventData, ProjectEventData,
    SessionEventData, SprintEventData, StatusEventData, TagEventData, TeamEventData,
};
use crate::event::typed::{ObjectsChangedData, ResyncData};
use crate::id::{ProjectId, TeamId};
use crate::planning::history::{FieldChanges, HistoryActor, HistoryKind};
use crate::time::Timestamp;
use crate::{Error, Result};

/// Most characters of a commit's message that an event shows: the length of a subject.
const SUBJECT_CHARS: usize = 200;

/// Declares the change events: description, name, variant and data of each.
macro_rules! change_events {
    ($($(#[$doc:meta])+ $name:literal $variant:ident($data:ty),)+) => {
        /// A change with its data, as it is appended.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type", content = "data")]
        pub enum ChangeData {
            $(
                $(#[$doc])+
                #[serde(rename = $name)]
                $variant($data),
            )+
        }

        /// A change of a team or project. Its `type` says which data it has. Clients ignore types that they don't know.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "type", rename_all_fields = "camelCase", deny_unknown_fields)]
        pub enum ChangeEvent {
            $(
                $(#[$doc])+
                #[serde(rename = $name)]
                $variant {
                    /// The event's id, for `Last-Event-ID`.
                    id: String,
                    /// Its number, which grows over all streams.
                    sequence: i64,
                    /// When it happened.
                    occurred_at: Timestamp,
                    /// Who did it; null: the service.
                    actor: Option<HistoryActor>,
                    /// Its data, by type.
                    data: $data,
                },
            )+
        }

        impl JsonSchema for ChangeEvent {
            fn schema_name() -> Cow<'static, str> {
                "ChangeEvent".into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                schema(&[$($name),+], generator)
            }
        }
    };
}

/// The schema of change events: one object. Schemas of the data by type would take kilobytes of the document.
fn schema(types: &[&str], generator: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "description": "A change of a team or project. Clients ignore types that they don't know.",
        "type": "object",
        "properties": {
            "id": { "type": "string", "description": "The event's id, for `Last-Event-ID`." },
            "type": { "type": "string", "enum": types, "description": "Says which data it has." },
            "sequence": { "type": "integer", "format": "int64", "description": "Grows over all streams." },
            "occurredAt": generator.subschema_for::<Timestamp>(),
            "actor": generator.subschema_for::<Option<HistoryActor>>(),
            "data": { "type": "object", "description": "Ids of what changed, and how; by type." },
        },
        "required": ["id", "type", "sequence", "occurredAt", "actor", "data"],
        "additionalProperties": false,
    })
}

change_events! {
    /// A card was created.
    "card.created" CardCreated(CardEventData),
    /// Fields of a card changed.
    "card.updated" CardUpdated(CardEventData),
    /// A card was closed.
    "card.closed" CardClosed(CardEventData),
    /// A card was opened again.
    "card.reopened" CardReopened(CardEventData),
    /// A user was assigned to a card.
    "card.assigned" CardAssigned(CardEventData),
    /// An assignment ended.
    "card.unassigned" CardUnassigned(CardEventData),
    /// A card got a tag.
    "card.tagged" CardTagged(CardEventData),
    /// A card lost a tag.
    "card.untagged" CardUntagged(CardEventData),
    /// A comment was written, changed or deleted.
    "card.commented" CardCommented(CardEventData),
    /// A card was linked to an object.
    "card.linked" CardLinked(CardEventData),
    /// A link to an object ended.
    "card.unlinked" CardUnlinked(CardEventData),
    /// A card was deleted.
    "card.deleted" CardDeleted(CardEventData),
    /// A card was placed on a board.
    "card.placed" CardPlaced(PlacementEventData),
    /// A card moved on a board: to another column, place or sprint.
    "card.moved" CardMoved(PlacementEventData),
    /// A card was removed from a board.
    "card.removed" CardRemoved(PlacementEventData),
    /// A tag was created.
    "tag.created" TagCreated(TagEventData),
    /// A tag changed.
    "tag.updated" TagUpdated(TagEventData),
    /// A tag was deleted.
    "tag.deleted" TagDeleted(TagEventData),
    /// A type of cards was defined.
    "card_type.created" CardTypeCreated(CardTypeEventData),
    /// The preset of a type of cards changed.
    "card_type.updated" CardTypeUpdated(CardTypeEventData),
    /// A type of cards is no longer defined.
    "card_type.deleted" CardTypeDeleted(CardTypeEventData),
    /// A custom field was created.
    "field.created" FieldCreated(FieldEventData),
    /// A custom field changed.
    "field.updated" FieldUpdated(FieldEventData),
    /// A custom field was deleted.
    "field.deleted" FieldDeleted(FieldEventData),
    /// A column was created. Others may have got other positions.
    "status.created" StatusCreated(StatusEventData),
    /// A column changed, or moved. Others may have got other positions.
    "status.updated" StatusUpdated(StatusEventData),
    /// A column was deleted.
    "status.deleted" StatusDeleted(StatusEventData),
    /// A sprint was created.
    "sprint.created" SprintCreated(SprintEventData),
    /// A sprint changed.
    "sprint.updated" SprintUpdated(SprintEventData),
    /// A sprint was started.
    "sprint.started" SprintStarted(SprintEventData),
    /// A sprint was completed.
    "sprint.completed" SprintCompleted(SprintEventData),
    /// A sprint was deleted.
    "sprint.deleted" SprintDeleted(SprintEventData),
    /// The team changed.
    "team.updated" TeamUpdated(TeamEventData),
    /// The team was deleted. Always the last event.
    "team.deleted" TeamDeleted(TeamEventData),
    /// A project was linked to the team.
    "project.linked" ProjectLinked(ProjectEventData),
    /// The link of a project to the team ended, or the project was deleted.
    "project.unlinked" ProjectUnlinked(ProjectEventData),
    /// The project changed.
    "project.updated" ProjectUpdated(ProjectEventData),
    /// The project was deleted. Always the last event.
    "project.deleted" ProjectDeleted(ProjectEventData),
    /// Members joined or left, or got other roles or names.
    "members.changed" MembersChanged(MembersEventData),
    /// Uncommitted objects were added, changed, deleted or discarded, or a merge moved the branch.
    "objects.changed" ObjectsChanged(ObjectsChangedData),
    /// A commit was made.
    "commit.created" CommitCreated(CommitEventData),
    /// A branch was created.
    "branch.created" BranchCreated(BranchEventData),
    /// A branch was deleted.
    "branch.deleted" BranchDeleted(BranchEventData),
    /// A package was published, or moved to another commit.
    "package.published" PackagePublished(PackageEventData),
    /// A package was withdrawn.
    "package.withdrawn" PackageWithdrawn(PackageEventData),
    /// The preview of a file is made, or can't be made.
    "preview.finished" PreviewFinished(PreviewEventData),
    /// A session was opened.
    "session.created" SessionCreated(SessionEventData),
    /// A session was closed.
    "session.closed" SessionClosed(SessionEventData),
    /// The client missed events that are no longer kept, and has to read the team or project again.
    "resync" Resync(ResyncData),
}

/// The team or project whose stream has an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeScope {
    /// A team.
    Team(TeamId),
    /// A project.
    Project(ProjectId),
}

impl ChangeScope {
    /// The id of the team or project.
    pub fn id(self) -> Uuid {
        match self {
            Self::Team(team) => team.0,
            Self::Project(project) => project.0,
        }
    }
}

/// A change event as it is stored. Its type may be one of a later version.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredChangeEvent {
    /// Its number, which grows over all streams.
    pub sequence: i64,
    /// Type.
    pub kind: String,
    /// Data, by type.
    pub data: Value,
    /// When it happened.
    pub occurred_at: Timestamp,
    /// Who did it; `None`: the service or an operator.
    pub actor: Option<HistoryActor>,
    /// The project that a reader must see.
    pub project: Option<ProjectId>,
    /// The team that a reader must see.
    pub team: Option<TeamId>,
    /// A second project whose cards a reader must be permitted to read.
    pub other_project: Option<ProjectId>,
    /// A reader must be permitted to read the cards of the project.
    pub is_of_cards: bool,
}

impl ChangeData {
    /// The change that a history row of a card tells.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if a place on a board can't be read.
    pub fn of_card(subject: ChangedCard, kind: HistoryKind, changes: &FieldChanges) -> Result<Self> {
        let own = || CardEventData::of(subject, changes);
        let place = || PlacementEventData::of(subject, changes);
        Ok(match kind {
            HistoryKind::Created => Self::CardCreated(own()),
            HistoryKind::Updated => Self::CardUpdated(own()),
            HistoryKind::Closed => Self::CardClosed(own()),
            HistoryKind::Reopened => Self::CardReopened(own()),
            HistoryKind::Assigned => Self::CardAssigned(own()),
            HistoryKind::Unassigned => Self::CardUnassigned(own()),
            HistoryKind::Tagged => Self::CardTagged(own()),
            HistoryKind::Untagged => Self::CardUntagged(own()),
            HistoryKind::Commented => Self::CardCommented(own()),
            HistoryKind::Linked => Self::CardLinked(own()),
            HistoryKind::Unlinked => Self::CardUnlinked(own()),
            HistoryKind::Deleted => Self::CardDeleted(own()),
            HistoryKind::Placed => Self::CardPlaced(place()?),
            HistoryKind::Moved => Self::CardMoved(place()?),
            HistoryKind::Removed => Self::CardRemoved(place()?),
        })
    }

    /// The change of a commit that was made on a branch.
    pub fn of_commit(branch: &BranchName, commit_hash: CommitHash, message: &str) -> Self {
        let subject = message.lines().next().unwrap_or_default().chars().take(SUBJECT_CHARS).collect();
        Self::CommitCreated(CommitEventData { branch: branch.clone(), commit_hash, subject })
    }

    /// The type and the data.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it can't be written as JSON.
    pub fn parts(&self) -> Result<(String, Value)> {
        #[derive(Deserialize)]
        struct Parts {
            r#type: String,
            data: Value,
        }
        let json = serde_json::to_value(self).map_err(Error::internal)?;
        let Parts { r#type, data } = serde_json::from_value(json).map_err(Error::internal)?;
        Ok((r#type, data))
    }
}

impl StoredChangeEvent {
    /// True if readers may have lost their access by it.
    pub fn changes_access(&self) -> bool {
        matches!(self.kind.as_str(), "members.changed" | "team.updated" | "project.updated")
    }

    /// True if it is the last event of its stream.
    pub fn is_last(&self) -> bool {
        matches!(self.kind.as_str(), "team.deleted" | "project.deleted")
    }
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;
    use serde_json::json;

    use super::*;
    use crate::id::HistoryId;

    fn subject() -> ChangedCard {
        let id = "0198c5f0-0000-7000-8000-000000000001";
        ChangedCard {
            card: id.parse().unwrap(),
            project: id.parse().unwrap(),
            history: HistoryId(id.parse().unwrap()),
        }
    }

    #[test]
    fn the_schema_lists_the_types() {
        let schema = schema_for!(ChangeEvent).to_value();
        let types = schema["properties"]["type"]["enum"].as_array().unwrap();
        assert!(types.contains(&json!("card.moved")) && types.contains(&json!("resync")));
    }

    #[test]
    fn a_change_of_a_card_names_fields_and_elements_without_their_values() {
        let fields = FieldChanges::none().and("name", "secret", "word").and("effort", 1, 2);
        let change = ChangeData::of_card(subject(), HistoryKind::Updated, &fields).unwrap();
        let (kind, data) = change.parts().unwrap();
        assert_eq!((kind.as_str(), &data["fields"]), ("card.updated", &json!(["effort", "name"])));
        assert!(!data.to_string().contains("secret"));
        let comment = json!({ "id": subject().card, "body": "secret" });
        let said = FieldChanges::of_element("comment", None, Some(comment));
        let change = ChangeData::of_card(subject(), HistoryKind::Commented, &said).unwrap();
        let (kind, data) = change.parts().unwrap();
        assert_eq!((kind.as_str(), &data["commentId"]), ("card.commented", &json!(subject().card)));
        assert!(!data.to_string().contains("secret"));
    }
}
