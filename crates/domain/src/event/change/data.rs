//! The data of change events: ids of what changed, and how.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::content::object::{CommitHash, Sha256Hash};
use crate::content::project::BranchName;
use crate::id::{
    CardId, CardTypeId, CommentId, FieldId, HistoryId, ObjectId, ProjectId, SessionId, SprintId, StatusId,
    TagId, TeamId, UserId,
};
use crate::planning::board::Placement;
use crate::planning::history::{FieldChanges, TEAM_PLACEMENT};
use crate::{Error, Result};

/// Declares the data of a change event.
macro_rules! change_data {
    ($(#[$doc:meta])+ $name:ident { $($(#[$field_doc:meta])+ $field:ident: $type:ty,)+ }) => {
        $(#[$doc])+
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name { $($(#[$field_doc])+ pub $field: $type,)+ }
    };
}

change_data! {
    /// A card, and the changed part of it.
    CardEventData {
        /// The card.
        card_id: CardId,
        /// Its project.
        project_id: ProjectId,
        /// The row of its history that has the values before and after.
        history_id: HistoryId,
        /// The changed fields.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fields: Vec<String>,
        /// The assignee.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user_id: Option<UserId>,
        /// The tag.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tag_id: Option<TagId>,
        /// The linked object.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        object_id: Option<ObjectId>,
        /// The comment.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment_id: Option<CommentId>,
    }
}

change_data! {
    /// A card's place on a board.
    PlacementEventData {
        /// The card.
        card_id: CardId,
        /// Its project.
        project_id: ProjectId,
        /// The row of its history.
        history_id: HistoryId,
        /// The place before; null: not on the board.
        before: Option<Placement>,
        /// The place after; null: not on the board.
        after: Option<Placement>,
    }
}

change_data! {
    /// A tag.
    TagEventData {
        /// The tag.
        tag_id: TagId,
        /// Its project.
        project_id: ProjectId,
        /// The changed fields.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fields: Vec<String>,
    }
}

change_data! {
    /// A type of cards that a project defines.
    CardTypeEventData {
        /// The type.
        card_type_id: CardTypeId,
        /// Its project.
        project_id: ProjectId,
        /// The changed properties.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fields: Vec<String>,
    }
}

change_data! {
    /// A custom field.
    FieldEventData {
        /// The custom field.
        field_id: FieldId,
        /// Its project.
        project_id: ProjectId,
        /// The changed properties.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fields: Vec<String>,
    }
}

change_data! {
    /// A column.
    StatusEventData {
        /// The column.
        status_id: StatusId,
        /// Its team.
        team_id: TeamId,
        /// The changed fields.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fields: Vec<String>,
    }
}

change_data! {
    /// A sprint.
    SprintEventData {
        /// The sprint.
        sprint_id: SprintId,
        /// Its team.
        team_id: TeamId,
        /// The changed fields.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fields: Vec<String>,
    }
}

change_data! {
    /// A team.
    TeamEventData {
        /// The team.
        team_id: TeamId,
        /// The changed fields.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fields: Vec<String>,
    }
}

change_data! {
    /// A project.
    ProjectEventData {
        /// The project.
        project_id: ProjectId,
        /// The team to which it is linked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team_id: Option<TeamId>,
        /// The changed fields.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        fields: Vec<String>,
    }
}

change_data! {
    /// The team or project whose members changed.
    MembersEventData {
        /// The team.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        team_id: Option<TeamId>,
        /// The project.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        project_id: Option<ProjectId>,
    }
}

change_data! {
    /// A commit.
    CommitEventData {
        /// The branch that has it.
        branch: BranchName,
        /// The commit.
        commit_hash: CommitHash,
        /// The first line of its message.
        subject: String,
    }
}

change_data! {
    /// A branch.
    BranchEventData {
        /// The branch.
        branch: BranchName,
    }
}

change_data! {
    /// A package.
    PackageEventData {
        /// The package.
        package_id: ObjectId,
        /// The branch.
        branch: BranchName,
    }
}

change_data! {
    /// The preview of a file.
    PreviewEventData {
        /// The file's hash.
        sha256: Sha256Hash,
    }
}

change_data! {
    /// A session of the project.
    SessionEventData {
        /// The session.
        session_id: SessionId,
    }
}

/// The subject of a card's change: the card, and its history row.
#[derive(Clone, Copy, Debug)]
pub struct ChangedCard {
    /// The card.
    pub card: CardId,
    /// Its project.
    pub project: ProjectId,
    /// The row of its history.
    pub history: HistoryId,
}

impl CardEventData {
    pub(super) fn of(subject: ChangedCard, changes: &FieldChanges) -> Self {
        let ChangedCard { card: card_id, project: project_id, history: history_id } = subject;
        let mut data = Self {
            card_id,
            project_id,
            history_id,
            fields: Vec::new(),
            user_id: None,
            tag_id: None,
            object_id: None,
            comment_id: None,
        };
        for (field, element) in changes.touched() {
            match (field, element) {
                ("user_id", Some(id)) => data.user_id = id.parse().ok(),
                ("tag_id", Some(id)) => data.tag_id = id.parse().ok(),
                ("object_id", Some(id)) => data.object_id = id.parse().ok(),
                ("comment", Some(id)) => data.comment_id = id.parse().ok(),
                (field, _) => data.fields.push(field.to_owned()),
            }
        }
        data
    }
}

impl PlacementEventData {
    pub(super) fn of(subject: ChangedCard, changes: &FieldChanges) -> Result<Self> {
        let place = |value: &Value| serde_json::from_value(value.clone()).map_err(Error::internal);
        let missing = || Error::internal("a history row of a board has no place");
        let (before, after) = changes.of(TEAM_PLACEMENT).ok_or_else(missing)?;
        Ok(Self {
            card_id: subject.card,
            project_id: subject.project,
            history_id: subject.history,
            before: place(before)?,
            after: place(after)?,
        })
    }
}
