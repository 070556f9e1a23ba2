//! Sprints.

use domain::id::{OrganizationId, SprintId, TeamId};
use domain::page::{LimitText, PageMeta};
use domain::patch::Patch;
use domain::planning::sprint::report::SprintReport;
use domain::planning::sprint::{SprintRecord, SprintStatus};
use domain::text::{Description, Name};
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::planning::teams::TeamPath;
use crate::{operations, tags};

operations! {
    tag: tags::SPRINTS;

    /// Lists a team's sprints: planned, active and completed ones.
    ListSprints = Get "/api/v2/orgs/{orgId}/teams/{teamId}/sprints" {
        summary: "List a team's sprints",
        path: TeamPath,
        query: ListSprintsQuery,
        answer: ListSprintsResponse,
        effect: Reads,
        tool: Toolbox("teams"),
        also: everyday(),
    }

    /// Plans a sprint. Dates can follow later; days are those of the team's time zone.
    CreateSprint = Post "/api/v2/orgs/{orgId}/teams/{teamId}/sprints" {
        summary: "Create a sprint",
        path: TeamPath,
        body: Json<CreateSprintRequest>,
        answer: SprintResponse,
        effect: Creates,
        tool: Toolbox("teams"),
        also: everyday(),
    }

    /// Answers a sprint's name, state and dates. Its report has the numbers.
    GetSprint = Get "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}" {
        summary: "Read a sprint",
        path: SprintPath,
        answer: SprintResponse,
        effect: Reads,
        tool: Toolbox("teams"),
    }

    /// Changes a sprint's name, description or dates. A completed sprint is final: `SPRINT_NOT_ACTIVE`.
    UpdateSprint = Patch "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}" {
        summary: "Change a sprint",
        path: SprintPath,
        body: Json<UpdateSprintRequest>,
        answer: SprintResponse,
        effect: Changes,
        tool: Toolbox("teams"),
        also: conditional(),
    }

    /// Deletes a planned sprint; its cards lose it. One that has started is `SPRINT_NOT_PLANNED`.
    DeleteSprint = Delete "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}" {
        summary: "Delete a planned sprint",
        path: SprintPath,
        answer: DeleteSprintResponse,
        effect: Idempotent,
        tool: Toolbox("teams"),
        also: conditional(),
    }

    /// Starts a planned sprint. It needs both dates and at least one card: `SPRINT_EMPTY`. One that has started is
    /// `SPRINT_NOT_PLANNED`. Another active sprint is `SPRINT_ALREADY_ACTIVE`, unless `allowConcurrent` is true.
    StartSprint = Post "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}/start" {
        summary: "Start a planned sprint",
        path: SprintPath,
        body: Option<Json<StartSprintRequest>>,
        answer: SprintResponse,
        effect: Changes,
        tool: Toolbox("teams"),
        also: everyday(), conditional(),
    }

    /// Completes an active sprint and freezes its report. Cards that are still open go to the backlog, stay, or join
    /// another sprint. A sprint that is not active is `SPRINT_NOT_ACTIVE`.
    CompleteSprint = Post "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}/complete" {
        summary: "Complete an active sprint",
        path: SprintPath,
        body: Option<Json<CompleteSprintRequest>>,
        answer: CompleteSprintResponse,
        effect: Changes,
        tool: Toolbox("teams"),
        also: everyday(), conditional(),
    }

    /// Answers what was planned, added, removed, done and carried over, in cards and effort, for the sprint and for
    /// each day.
    GetSprintReport = Get "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}/report" {
        summary: "Read a sprint's report",
        path: SprintPath,
        answer: SprintReportResponse,
        effect: Reads,
        tool: Toolbox("teams"),
        also: everyday(),
    }
}

/// One sprint.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SprintResponse {
    /// The sprint.
    pub sprint: SprintRecord,
}

/// A sprint's report.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SprintReportResponse {
    /// The report.
    pub report: SprintReport,
}

/// Options of the completion; the body is optional.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CompleteSprintRequest {
    /// Target of the unfinished cards: `backlog` (the default), `keep`, or the id of another sprint of the team that
    /// is not completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete_cards_to: Option<String>,
}

/// A completed sprint with its report.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CompleteSprintResponse {
    /// The sprint.
    pub sprint: SprintRecord,
    /// The sprint's final report.
    pub report: SprintReport,
    /// Number of moved cards.
    pub moved_cards: usize,
}

/// A sprint to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateSprintRequest {
    /// Name.
    pub name: Name,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// Start. A date without a time means the beginning of that day in the team's time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_date: Option<DateOrTime>,
    /// End. A date without a time means the end of that day in the team's time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date: Option<DateOrTime>,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteSprintResponse {
    /// Always true.
    pub deleted: bool,
    /// The sprint.
    pub sprint_id: SprintId,
    /// Number of its cards, which are now in no sprint.
    pub moved_cards: usize,
}

/// The filter of sprints.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListSprintsQuery {
    /// Only sprints in this state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<SprintStatus>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of sprints, newest first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListSprintsResponse {
    /// The sprints.
    pub sprints: Vec<SprintRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// Options of the start; the body is optional if the sprint has dates.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StartSprintRequest {
    /// Start. A date without a time means the beginning of that day in the team's time zone.
    /// Required unless the sprint has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_date: Option<DateOrTime>,
    /// End. A date without a time means the end of that day in the team's time zone.
    /// Required unless the sprint has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_date: Option<DateOrTime>,
    /// Allow another active sprint of the team at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_concurrent: Option<bool>,
}

/// The changes; at least one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
pub struct UpdateSprintRequest {
    /// Name.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schemars(extend("x-notCleared" = true))]
    pub name: Patch<Name>,
    /// Description.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub description: Patch<Description>,
    /// Start. A date without a time means the beginning of that day in the team's time zone.
    /// Required for an active sprint.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub start_date: Patch<DateOrTime>,
    /// End. A date without a time means the end of that day in the team's time zone.
    /// Required for an active sprint.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    pub end_date: Patch<DateOrTime>,
}

/// The path of an operation on one sprint.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SprintPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The team.
    pub team_id: TeamId,
    /// The sprint.
    pub sprint_id: SprintId,
}
