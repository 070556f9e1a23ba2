//! Members of projects.

use domain::content::project::ProjectRef;
use domain::id::UserId;
use domain::page::PageMeta;
use domain::people::member::ProjectMember;
use domain::people::role::ProjectRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::page::MemberQuery;
use crate::people::organizations::RemovedMemberResponse;
use crate::{operations, tags};

operations! {
    tag: tags::PROJECTS;

    /// Lists the users with a role on a project, in the order of their ids: its owner, its members, and the members of
    /// its organization who can reach it. `isDirect` marks memberships of the project itself. A reader of a public
    /// project who has no role on it sees nobody.
    ListProjectMembers = Get "/api/v2/projects/{projectId}/members" {
        summary: "List a project's members",
        path: ProjectPath,
        query: MemberQuery,
        answer: ListProjectMembersResponse,
        effect: Reads,
        tool: Toolbox("project"),
    }

    /// Shares a project with a user, or gives its member another role. It takes a manager with a browser token. The
    /// user must be known to the caller from an organization in which the caller is more than a guest; others are 404.
    PutProjectMember = Put "/api/v2/projects/{projectId}/members/{memberId}" {
        summary: "Share a project with a user",
        path: ProjectMemberPath,
        body: Json<PutProjectMemberRequest>,
        answer: ProjectMemberResponse,
        effect: Idempotent,
        tool: NotATool("text that an agent reads must not decide who sees the project"),
    }

    /// Ends a membership of the project itself: the caller's own, or for managers that of another. The user's sessions
    /// on the project are closed if no other role gives access.
    RemoveProjectMember = Delete "/api/v2/projects/{projectId}/members/{memberId}" {
        summary: "End a membership of a project",
        path: ProjectMemberPath,
        answer: RemovedMemberResponse,
        effect: Idempotent,
        tool: NotATool("text that an agent reads must not decide who sees the project"),
    }
}

/// One member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ProjectMemberResponse {
    /// The member.
    pub member: ProjectMember,
}

/// A page of members, in the order of their ids.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListProjectMembersResponse {
    /// The members.
    pub members: Vec<ProjectMember>,
    /// The page.
    pub meta: PageMeta,
}

/// The member's role.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PutProjectMemberRequest {
    /// Role on the project.
    pub role: ProjectRole,
}

/// The path of an operation on one member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectMemberPath {
    /// The project.
    pub project_id: ProjectRef,
    /// The member's user id.
    pub member_id: UserId,
}
