//! Teams with their columns, members and projects.

pub mod available_cards;
pub mod members;
pub mod projects;
pub mod statuses;

use std::collections::BTreeMap;

use domain::id::{CardId, HistoryId, OrganizationId, TeamId};
use domain::page::{LimitText, PageMeta};
use domain::patch::Patch;
use domain::planning::team::{TeamRecord, TeamVisibility};
use domain::text::{Description, Name};
use domain::time::Zone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::change_events::{LAST_EVENT_ID, StreamChangesQuery};
use crate::operation::{Json, Raw};
use crate::people::organizations::OrganizationPath;
use crate::{operations, tags};

operations! {
    tag: tags::TEAMS;

    /// Lists the teams that the caller can see.
    ListTeams = Get "/api/v2/orgs/{orgId}/teams" {
        summary: "List an organization's teams",
        path: OrganizationPath,
        query: ListTeamsQuery,
        answer: ListTeamsResponse,
        effect: Reads,
        tool: Toolbox("teams"),
        also: everyday(),
    }

    /// Creates a team with an empty board; the caller becomes its manager. Add columns next. A name that a visible team
    /// has is `TEAM_NAME_TAKEN`.
    CreateTeam = Post "/api/v2/orgs/{orgId}/teams" {
        summary: "Create a team",
        path: OrganizationPath,
        body: Json<CreateTeamRequest>,
        answer: TeamResponse,
        effect: Creates,
        tool: NotATool("administers the organization"),
    }

    /// Answers a team's name, description, status and visibility.
    GetTeam = Get "/api/v2/orgs/{orgId}/teams/{teamId}" {
        summary: "Read a team",
        path: TeamPath,
        answer: TeamResponse,
        effect: Reads,
        tool: Toolbox("teams"),
    }

    /// Changes a team's name, description, status, visibility or time zone, by which the days of its sprints run. A
    /// name that a visible team has is `TEAM_NAME_TAKEN`.
    UpdateTeam = Patch "/api/v2/orgs/{orgId}/teams/{teamId}" {
        summary: "Change a team",
        path: TeamPath,
        body: Json<UpdateTeamRequest>,
        answer: TeamResponse,
        effect: Changes,
        tool: NotATool("administers the organization"),
        also: conditional(),
    }

    /// Deletes a team with its board and sprints. The cards stay. With `expectedHistoryHeadIds`, a card that was
    /// changed since refuses it: `CARD_HISTORY_CONFLICT`. It also needs a scope and a role that write the affected
    /// cards.
    DeleteTeam = Delete "/api/v2/orgs/{orgId}/teams/{teamId}" {
        summary: "Delete a team",
        path: TeamPath,
        body: Option<Json<DeleteTeamRequest>>,
        answer: DeleteTeamResponse,
        effect: Idempotent,
        tool: NotATool("administers the organization"),
        also: conditional(),
    }

    /// Streams what changes in the team as server-sent events: its board, columns, sprints, links and members, and the
    /// cards on the board that the caller may read. It starts now, or after `Last-Event-ID` or `after`; heartbeats
    /// carry the latest `id`. Otherwise it works as `streamEvents`.
    StreamTeamEvents = Get "/api/v2/orgs/{orgId}/teams/{teamId}/events" {
        summary: "Follow a team's events",
        path: TeamPath,
        query: StreamChangesQuery,
        answer: Raw,
        effect: Reads,
        tool: NotATool("is an endless stream"),
        also: reads(&[LAST_EVENT_ID]),
    }
}

/// One team.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TeamResponse {
    /// The team.
    pub team: TeamRecord,
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

/// The path of an operation on one team.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The team.
    pub team_id: TeamId,
}
