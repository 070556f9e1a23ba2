//! The work of a person over all projects: cards, and questions of agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{ApprovalId, ProjectId, SessionId};
use crate::planning::card::IndexCard;
use crate::time::Timestamp;
use crate::work::approval::ApprovalReason;

/// Why a card asks for a person's attention, besides being assigned to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WorkReason {
    /// Its deadline is over, or comes within seven days.
    Due,
    /// An open card blocks it.
    Blocked,
}

/// An open card that is assigned to the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkItem {
    /// The reasons to look at it now.
    pub reasons: Vec<WorkReason>,
    /// The card.
    pub card: IndexCard,
}

/// An open card whose texts mention the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MentionedCard {
    /// Time of the newest mention.
    pub mentioned_at: Timestamp,
    /// The card.
    pub card: IndexCard,
}

/// A question of an agent that acts for the person, and waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitingApproval {
    /// Id.
    pub id: ApprovalId,
    /// Its session.
    pub session_id: SessionId,
    /// The session's project.
    pub project_id: ProjectId,
    /// The tool, as `{toolbox}__{tool}`.
    pub tool: String,
    /// Why it is asked.
    pub reason: ApprovalReason,
    /// Time of the question.
    pub requested_at: Timestamp,
}
