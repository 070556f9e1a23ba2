//! Projects, their members, their MCP servers.

use api::audit::{AuditQuery, AuditResponse};
use api::change_events::StreamChangesQuery;
use api::mcp_servers::{
    DeleteMcpServerResponse, ListMcpServersResponse, McpServerResponse, PutMcpServerRequest,
};
use api::organizations::RemovedMemberResponse;
use api::page::{MemberQuery, PageQuery};
use api::projects::{
    CreateProjectRequest, CreateProjectResponse, DeleteProjectResponse, ListProjectMembersResponse,
    ListProjectsQuery, ListProjectsResponse, ProjectMemberResponse, ProjectResponse, PutProjectMemberRequest,
    TransferProjectRequest, UpdateProjectRequest,
};
use api::usage::{ListCardUsageQuery, ListCardUsageResponse, UsageQuery};
use domain::id::{ProjectId, UserId};
use domain::mcp_server::ServerName;
use domain::project::ProjectRef;
use domain::usage::report::UsageReport;

operations! {
    /// Lists the caller's projects, newest first.
    list_projects "listProjects" Repeatable GET "/api/v2/projects"
        () query ListProjectsQuery => ListProjectsResponse;
    /// Creates a project.
    create_project "createProject" Creates POST "/api/v2/projects"
        () body CreateProjectRequest => CreateProjectResponse;
    /// Reads a project.
    get_project "getProject" Repeatable GET "/api/v2/projects/{projectId}"
        (project: ProjectRef) => ProjectResponse;
    /// Changes a project.
    update_project "updateProject" Changes PATCH "/api/v2/projects/{projectId}"
        (project: ProjectId) body UpdateProjectRequest => ProjectResponse;
    /// Deletes a project.
    delete_project "deleteProject" Repeatable DELETE "/api/v2/projects/{projectId}"
        (project: ProjectId) => DeleteProjectResponse;
    /// Gives a project another owner.
    transfer_project "transferProject" Changes POST "/api/v2/projects/{projectId}/transfer"
        (project: ProjectId) body TransferProjectRequest => ProjectResponse;
    /// Follows what changes in a project: one connection.
    stream_project_events "streamProjectEvents" Repeatable GET "/api/v2/projects/{projectId}/events"
        (project: ProjectId) query StreamChangesQuery => ();
    /// Lists a project's members.
    list_project_members "listProjectMembers" Repeatable GET "/api/v2/projects/{projectId}/members"
        (project: ProjectId) query MemberQuery => ListProjectMembersResponse;
    /// Shares a project with a user.
    put_project_member "putProjectMember" Repeatable PUT "/api/v2/projects/{projectId}/members/{memberId}"
        (project: ProjectId, member: UserId) body PutProjectMemberRequest => ProjectMemberResponse;
    /// Ends a membership of a project.
    remove_project_member "removeProjectMember" Repeatable DELETE "/api/v2/projects/{projectId}/members/{memberId}"
        (project: ProjectId, member: UserId) => RemovedMemberResponse;
    /// Reads a project's audit log.
    get_project_audit "getProjectAudit" Repeatable GET "/api/v2/projects/{projectId}/audit"
        (project: ProjectId) query AuditQuery => AuditResponse;
    /// Reports the usage of a project.
    get_project_usage "getProjectUsage" Repeatable GET "/api/v2/projects/{projectId}/usage"
        (project: ProjectId) query UsageQuery => UsageReport;
    /// Reports the costs of a project's cards.
    list_card_usage "listCardUsage" Repeatable GET "/api/v2/projects/{projectId}/usage/cards"
        (project: ProjectId) query ListCardUsageQuery => ListCardUsageResponse;
    /// Lists a project's MCP servers.
    list_mcp_servers "listMcpServers" Repeatable GET "/api/v2/projects/{projectId}/mcp-servers"
        (project: ProjectId) query PageQuery => ListMcpServersResponse;
    /// Reads an MCP server of a project.
    get_mcp_server "getMcpServer" Repeatable GET "/api/v2/projects/{projectId}/mcp-servers/{serverName}"
        (project: ProjectId, server_name: ServerName) => McpServerResponse;
    /// Adds or replaces an MCP server.
    put_mcp_server "putMcpServer" Repeatable PUT "/api/v2/projects/{projectId}/mcp-servers/{serverName}"
        (project: ProjectId, server_name: ServerName) body PutMcpServerRequest => McpServerResponse;
    /// Removes an MCP server.
    delete_mcp_server "deleteMcpServer" Repeatable DELETE "/api/v2/projects/{projectId}/mcp-servers/{serverName}"
        (project: ProjectId, server_name: ServerName) => DeleteMcpServerResponse;
}
