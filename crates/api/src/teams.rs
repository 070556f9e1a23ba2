//! Teams with their columns, members and projects.

use std::collections::BTreeMap;

use domain::available::{AvailableTeamCard, ProjectOption};
use domain::id::{CardId, HistoryId, ProjectId, StatusId, TeamId};
use domain::member::TeamMember;
use domain::page::{LimitText, PageMeta};
use domain::patch::Patch;
use domain::project::ProjectIds;
use domain::role::TeamRole;
use domain::status::{CloseMode, StatusRecord, TransitionState, WipLimit, WipPolicy, WipUnit};
use domain::tag::Color;
use domain::team::{LinkedProject, TeamRecord, TeamVisibility};
use domain::text::{Description, Name};
use domain::time::Zone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One team.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TeamResponse {
    /// The team.
    pub team: TeamRecord,
}

/// The filter of cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListAvailableCardsQuery {
    /// Only cards whose name, description or resolution contains this text, regardless of case.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only cards of these eligible projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_ids: Option<ProjectIds>,
    /// Only cards of eligible projects other than these. Not together with `projectIds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_project_ids: Option<ProjectIds>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of cards, most recently changed first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct AvailableTeamCardsResponse {
    /// The team.
    pub team: TeamName,
    /// The cards.
    pub cards: Vec<AvailableTeamCard>,
    /// The values by which the search can be filtered.
    pub filter_options: AvailableTeamCardsOptions,
    /// The position of the page.
    pub meta: AvailableTeamCardsMeta,
}

/// A team.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TeamName {
    /// Id.
    pub id: TeamId,
    /// Name.
    pub name: Name,
}

/// Values by which the search can be filtered.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AvailableTeamCardsOptions {
    /// All linked projects whose cards the caller can write, by name.
    pub projects: Vec<ProjectOption>,
}

/// The page, and the number of all cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct AvailableTeamCardsMeta {
    /// The applied limit.
    pub limit: u32,
    /// Number of cards on all pages.
    pub total: i64,
    /// True if more cards follow.
    pub has_more: bool,
    /// `cursor` of the next page.
    pub next_cursor: Option<String>,
}

/// A team to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateTeamRequest {
    /// Name, unique among the organization's teams that the caller sees, regardless of case.
    pub name: Name,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// Lifecycle status. Defaults to `active`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Name>,
    /// Visibility. Defaults to `private`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<TeamVisibility>,
    /// Time zone of the team's days, by its IANA name, for example `Europe/Berlin`. Defaults to `UTC`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<Zone>,
}

/// The client's expectation; the body is optional.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeleteTeamRequest {
    /// The last seen history head of every card on the team's board, by the card's id. Any difference refuses the
    /// deletion. Defaults to no comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_ids: Option<BTreeMap<CardId, HistoryId>>,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteTeamResponse {
    /// Always true.
    pub deleted: bool,
    /// The team.
    pub team_id: TeamId,
    /// Number of cards that were on its board.
    pub removed_placements: usize,
    /// Their latest history rows, by card id.
    pub history_heads: BTreeMap<CardId, HistoryId>,
}

/// The filter of teams.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListTeamsQuery {
    /// Only entries whose name contains this text, regardless of case.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only teams with this lifecycle status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Name>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of teams, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListTeamsResponse {
    /// The teams.
    pub teams: Vec<TeamRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// One member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TeamMemberResponse {
    /// The member.
    pub member: TeamMember,
}

/// A page of members, in the order of their ids.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListTeamMembersResponse {
    /// The members.
    pub members: Vec<TeamMember>,
    /// The page.
    pub meta: PageMeta,
}

/// The member's role.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutTeamMemberRequest {
    /// Role in the team.
    pub role: TeamRole,
}

/// The linked project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LinkProjectResponse {
    /// The project.
    pub project: LinkedProject,
}

/// A page of linked projects, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListTeamProjectsResponse {
    /// The projects.
    pub projects: Vec<LinkedProject>,
    /// The page.
    pub meta: PageMeta,
}

/// The ended link.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnlinkProjectResponse {
    /// Always true.
    pub deleted: bool,
    /// The team.
    pub team_id: TeamId,
    /// The project.
    pub project_id: ProjectId,
    /// Number of the project's cards that were on the team's board.
    pub removed_placements: usize,
    /// Their latest history rows, by card id.
    pub history_heads: BTreeMap<CardId, HistoryId>,
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

/// The changes; at least one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateTeamRequest {
    /// Name.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub name: Patch<Name>,
    /// Description.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub description: Patch<Description>,
    /// Lifecycle status. Clearing it sets `active`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub status: Patch<Name>,
    /// Visibility. Clearing it sets `private`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub visibility: Patch<TeamVisibility>,
    /// Time zone of the team's days, by its IANA name. Sprints keep their dates. Clearing it sets `UTC`.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub time_zone: Patch<Zone>,
}
