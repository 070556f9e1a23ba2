//! Checklists of cards.

use domain::content::project::ProjectRef;
use domain::id::{ChecklistItemId, HistoryId};
use domain::key::CardName;
use domain::patch::Patch;
use domain::planning::checklist::{ChecklistItem, ChecklistText};
use domain::planning::history::Sequence;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::planning::cards::{CardPath, EndResponse, HistoryHeadRequest};
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists the lines of a card's checklist in their order.
    ListChecklist = Get "/api/v2/projects/{projectId}/cards/{cardId}/checklist" {
        summary: "List a card's checklist",
        path: CardPath,
        answer: ListChecklistResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }

    /// Adds a line to a card's checklist, at its end or behind `afterItemId`. A checklist has at most 200 lines:
    /// `LIMIT_REACHED`. Two expected heads that differ are `HISTORY_HEAD_MISMATCH`.
    AddChecklistItem = Post "/api/v2/projects/{projectId}/cards/{cardId}/checklist" {
        summary: "Add a line to a checklist",
        path: CardPath,
        body: Json<AddChecklistItemRequest>,
        answer: ChecklistItemResponse,
        effect: Creates,
        tool: Toolbox("cards"),
        also: conditional(),
    }

    /// Ticks or clears a line, changes its text, or moves it behind `afterItemId`, with null to the beginning.  A
    /// change of the line since the expected head is `CARD_HISTORY_CONFLICT`; two heads that differ are
    /// `HISTORY_HEAD_MISMATCH`.
    UpdateChecklistItem = Patch "/api/v2/projects/{projectId}/cards/{cardId}/checklist/{itemId}" {
        summary: "Tick, change or move a line of a checklist",
        path: ChecklistItemPath,
        body: Json<UpdateChecklistItemRequest>,
        answer: ChecklistItemResponse,
        effect: Changes,
        tool: Toolbox("cards"),
        also: conditional(),
    }

    /// Deletes a line. A change of it since the expected head is `CARD_HISTORY_CONFLICT`; two heads that differ are
    /// `HISTORY_HEAD_MISMATCH`.
    DeleteChecklistItem = Delete "/api/v2/projects/{projectId}/cards/{cardId}/checklist/{itemId}" {
        summary: "Delete a line of a checklist",
        path: ChecklistItemPath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: EndResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }
}

/// A checklist.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListChecklistResponse {
    /// Its lines.
    pub items: Vec<ChecklistItem>,
}

/// A line with its card's history head.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChecklistItemResponse {
    /// The line.
    pub item: ChecklistItem,
    /// The card's latest history row.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
}

/// A line to add.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddChecklistItemRequest {
    /// Text, as Markdown of one line.
    pub text: ChecklistText,
    /// True if it is done already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_done: Option<bool>,
    /// The line that it follows; at the end if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_item_id: Option<ChecklistItemId>,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// The changes; at least one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateChecklistItemRequest {
    /// Text, as Markdown of one line.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub text: Patch<ChecklistText>,
    /// True if it is done. Clearing it sets false.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub is_done: Patch<bool>,
    /// The line that it follows; null: none, it is the first.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub after_item_id: Patch<ChecklistItemId>,
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// The path of a line.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChecklistItemPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The card, by its id or key.
    pub card_id: CardName,
    /// The line.
    pub item_id: ChecklistItemId,
}
