//! Teams with their members and projects.

use api::change_events::StreamChangesQuery;
use api::organizations::RemovedMemberResponse;
use api::page::{MemberQuery, PageQuery};
use api::teams::{
    CreateTeamRequest, DeleteTeamRequest, DeleteTeamResponse, LinkProjectResponse, ListTeamMembersResponse,
    ListTeamProjectsResponse, ListTeamsQuery, ListTeamsResponse, PutTeamMemberRequest, TeamMemberResponse,
    TeamResponse, UnlinkProjectResponse, UpdateTeamRequest,
};
use domain::id::{OrganizationId, ProjectId, TeamId, UserId};

operations! {
    /// Lists an organization's teams.
    list_teams "listTeams" Repeatable GET "/api/v2/orgs/{orgId}/teams"
        (organization: OrganizationId) query ListTeamsQuery => ListTeamsResponse;
    /// Creates a team.
    create_team "createTeam" Creates POST "/api/v2/orgs/{orgId}/teams"
        (organization: OrganizationId) body CreateTeamRequest => TeamResponse;
    /// Reads a team.
    get_team "getTeam" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}"
        (organization: OrganizationId, team: TeamId) => TeamResponse;
    /// Changes a team.
    update_team "updateTeam" Changes PATCH "/api/v2/orgs/{orgId}/teams/{teamId}"
        (organization: OrganizationId, team: TeamId) body UpdateTeamRequest => TeamResponse;
    /// Deletes a team.
    delete_team "deleteTeam" Repeatable DELETE "/api/v2/orgs/{orgId}/teams/{teamId}"
        (organization: OrganizationId, team: TeamId) body DeleteTeamRequest => DeleteTeamResponse;
    /// Follows what changes in a team: one connection.
    stream_team_events "streamTeamEvents" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/events"
        (organization: OrganizationId, team: TeamId) query StreamChangesQuery => ();
    /// Lists a team's members.
    list_team_members "listTeamMembers" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/members"
        (organization: OrganizationId, team: TeamId) query MemberQuery => ListTeamMembersResponse;
    /// Makes a user a member of a team.
    put_team_member "putTeamMember" Repeatable PUT "/api/v2/orgs/{orgId}/teams/{teamId}/members/{memberId}"
        (organization: OrganizationId, team: TeamId, member: UserId) body PutTeamMemberRequest => TeamMemberResponse;
    /// Ends a membership of a team.
    remove_team_member "removeTeamMember" Repeatable DELETE "/api/v2/orgs/{orgId}/teams/{teamId}/members/{memberId}"
        (organization: OrganizationId, team: TeamId, member: UserId) => RemovedMemberResponse;
    /// Lists the projects linked to a team.
    list_team_projects "listTeamProjects" Repeatable GET "/api/v2/orgs/{orgId}/teams/{teamId}/projects"
        (organization: OrganizationId, team: TeamId) query PageQuery => ListTeamProjectsResponse;
    /// Links a project to a team.
    link_project "linkProject" Repeatable PUT "/api/v2/orgs/{orgId}/teams/{teamId}/projects/{projectId}"
        (organization: OrganizationId, team: TeamId, project: ProjectId) => LinkProjectResponse;
    /// Ends a project's link to a team.
    unlink_project "unlinkProject" Repeatable DELETE "/api/v2/orgs/{orgId}/teams/{teamId}/projects/{projectId}"
        (organization: OrganizationId, team: TeamId, project: ProjectId) => UnlinkProjectResponse;
}
