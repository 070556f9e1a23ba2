//! The status columns of a team's board.

use std::collections::BTreeMap;

use domain::id::{CardId, HistoryId, OrganizationId, StatusId, TeamId};
use domain::page::PageMeta;
use domain::patch::Patch;
use domain::planning::status::{CloseMode, StatusRecord, TransitionState, WipLimit, WipPolicy, WipUnit};
use domain::planning::tag::Color;
use domain::text::{Description, Name};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::page::PageQuery;
use crate::planning::teams::TeamPath;
use crate::{operations, tags};

operations! {
    tag: tags::COLUMNS;

    /// Lists the columns in their order.
    ListStatuses = Get "/api/v2/orgs/{orgId}/teams/{teamId}/statuses" {
        summary: "List the status columns of a team's board",
        path: TeamPath,
        query: PageQuery,
        answer: ListStatusesResponse,
        effect: Reads,
        tool: Toolbox("teams"),
        also: everyday(),
    }

    /// Adds a column, at the end or beside another one. A name that another column has is `STATUS_NAME_TAKEN`.
    /// Neighbours that have moved are `POSITION_CONFLICT`. A team has at most 200 columns.
    CreateStatus = Post "/api/v2/orgs/{orgId}/teams/{teamId}/statuses" {
        summary: "Create a status column",
        path: TeamPath,
        body: Json<CreateStatusRequest>,
        answer: StatusResponse,
        effect: Creates,
        tool: Toolbox("teams"),
    }

    /// Answers a column with its limit and its rules for closing cards.
    GetStatus = Get "/api/v2/orgs/{orgId}/teams/{teamId}/statuses/{statusId}" {
        summary: "Read a status column",
        path: StatusPath,
        answer: StatusResponse,
        effect: Reads,
        tool: Toolbox("teams"),
    }

    /// Changes or moves a column. Its cards count in reports by its new `transitionState` from then on. A name that
    /// another column has is `STATUS_NAME_TAKEN`. Neighbours that have moved are `POSITION_CONFLICT`.
    UpdateStatus = Patch "/api/v2/orgs/{orgId}/teams/{teamId}/statuses/{statusId}" {
        summary: "Change or move a status column",
        path: StatusPath,
        body: Json<UpdateStatusRequest>,
        answer: StatusResponse,
        effect: Changes,
        tool: Toolbox("teams"),
        also: conditional(),
    }

    /// Deletes a column. One with cards needs `moveCardsTo`, and the right to write these cards. A column that is full
    /// is `WIP_LIMIT_REACHED`. With expected heads, a card that was changed since is `CARD_HISTORY_CONFLICT`.
    DeleteStatus = Delete "/api/v2/orgs/{orgId}/teams/{teamId}/statuses/{statusId}" {
        summary: "Delete a status column",
        path: StatusPath,
        query: DeleteStatusRequest,
        body: Option<Json<DeleteStatusRequest>>,
        answer: DeleteStatusResponse,
        effect: Idempotent,
        tool: Toolbox("teams"),
        also: conditional(),
    }
}

/// One column.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StatusResponse {
    /// The column.
    pub status: StatusRecord,
}

/// A column to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateStatusRequest {
    /// Name, unique in the team regardless of case.
    pub name: Name,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// Color as `#RRGGBB`. Defaults to gray.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// Lifecycle flag. Defaults to `active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Name>,
    /// Progress of the work in the column. Defaults to `not_started`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transition_state: Option<TransitionState>,
    /// Effect of moves on open and closed cards. Defaults to `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub close_mode: Option<CloseMode>,
    /// WIP limit of the column. Defaults to no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wip_limit: Option<WipLimit>,
    /// Effect of exceeding the limit. Defaults to `warn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wip_policy: Option<WipPolicy>,
    /// Unit of the limit. Defaults to `count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wip_unit: Option<WipUnit>,
    /// Place directly before this column. Defaults to the end of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_status_id: Option<StatusId>,
    /// Place directly after this column. If both are present, they must be neighbours, this one first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_status_id: Option<StatusId>,
}

/// Target of the column's cards, in the query or in the body.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteStatusRequest {
    /// The column to which this one's cards move. Required if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_cards_to: Option<StatusId>,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteStatusResponse {
    /// Always true.
    pub deleted: bool,
    /// The status.
    pub status_id: StatusId,
    /// Number of moved cards.
    pub moved_cards: usize,
    /// Their latest history rows, by card id.
    pub history_heads: BTreeMap<CardId, HistoryId>,
}

/// A page of columns, in their order.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListStatusesResponse {
    /// The statuses.
    pub statuses: Vec<StatusRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// The changes; at least one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateStatusRequest {
    /// Name.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub name: Patch<Name>,
    /// Description.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub description: Patch<Description>,
    /// Color as `#RRGGBB`. Clearing it sets gray.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub color: Patch<Color>,
    /// Lifecycle flag. Clearing it sets `active`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub status: Patch<Name>,
    /// Progress of the work in the column. Clearing it sets `not_started`. Cards in the column are not changed.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub transition_state: Patch<TransitionState>,
    /// Effect of later moves on open and closed cards. Clearing it sets `off`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub close_mode: Patch<CloseMode>,
    /// WIP limit of the column. Clearing it removes the limit.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub wip_limit: Patch<WipLimit>,
    /// Effect of exceeding the limit. Clearing it sets `warn`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub wip_policy: Patch<WipPolicy>,
    /// Unit of the limit. Clearing it sets `count`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub wip_unit: Patch<WipUnit>,
    /// Place directly before this column. Without a neighbour, the column keeps its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_status_id: Option<StatusId>,
    /// Place directly after this column. If both are present, they must be neighbours, this one first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_status_id: Option<StatusId>,
}

/// The path of an operation on one column.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The team.
    pub team_id: TeamId,
    /// The column.
    pub status_id: StatusId,
}
