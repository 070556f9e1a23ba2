//! Sprints and their reports.

use api::sprints::{
    CompleteSprintRequest, CompleteSprintResponse, CreateSprintRequest, DeleteSprintResponse,
    ListSprintsQuery, ListSprintsResponse, SprintReportResponse, SprintResponse, StartSprintRequest,
    UpdateSprintRequest,
};
use domain::id::{OrganizationId, SprintId, TeamId};

operations! {
    /// Lists a team's sprints.
    list_sprints "listSprints" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/sprints"
        (organization: OrganizationId, team: TeamId) query ListSprintsQuery => ListSprintsResponse;
    /// Creates a sprint.
    create_sprint "createSprint" Creates POST "/api/v2/orgs/{orgId}/teams/{teamId}/sprints"
        (organization: OrganizationId, team: TeamId) body CreateSprintRequest => SprintResponse;
    /// Reads a sprint.
    get_sprint "getSprint" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}"
        (organization: OrganizationId, team: TeamId, sprint: SprintId) => SprintResponse;
    /// Changes a sprint.
    update_sprint "updateSprint" Changes PATCH "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}"
        (organization: OrganizationId, team: TeamId, sprint: SprintId) body UpdateSprintRequest => SprintResponse;
    /// Deletes a planned sprint.
    delete_sprint "deleteSprint" Repeatable DELETE "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}"
        (organization: OrganizationId, team: TeamId, sprint: SprintId) => DeleteSprintResponse;
    /// Starts a planned sprint.
    start_sprint "startSprint" Changes POST "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}/start"
        (organization: OrganizationId, team: TeamId, sprint: SprintId) body StartSprintRequest => SprintResponse;
    /// Completes an active sprint.
    complete_sprint "completeSprint" Changes POST "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}/complete"
        (organization: OrganizationId, team: TeamId, sprint: SprintId) body CompleteSprintRequest
        => CompleteSprintResponse;
    /// Reads a sprint's report.
    get_sprint_report "getSprintReport" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/sprints/{sprintId}/report"
        (organization: OrganizationId, team: TeamId, sprint: SprintId) => SprintReportResponse;
}
