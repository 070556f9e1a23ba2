//! Members of teams.

use domain::id::{OrganizationId, TeamId, UserId};
use domain::page::PageMeta;
use domain::people::member::TeamMember;
use domain::people::role::TeamRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::page::MemberQuery;
use crate::people::organizations::RemovedMemberResponse;
use crate::planning::teams::TeamPath;
use crate::{operations, tags};

operations! {
    tag: tags::TEAMS;

    /// Lists the members of a team in the order of their ids, with their roles. Admins of the organization manage the
    /// team without being listed.
    ListTeamMembers = Get "/api/v2/orgs/{orgId}/teams/{teamId}/members" {
        summary: "List a team's members",
        path: TeamPath,
        query: MemberQuery,
        answer: ListTeamMembersResponse,
        effect: Reads,
        tool: NotATool("a project's members are those to whom its cards are assigned"),
    }

    /// Makes a member of the organization a member of the team, or gives the team's member another role. It takes a
    /// manager of the team, or an admin of the organization, with a browser token.
    PutTeamMember = Put "/api/v2/orgs/{orgId}/teams/{teamId}/members/{memberId}" {
        summary: "Make a user a member of a team",
        path: TeamMemberPath,
        body: Json<PutTeamMemberRequest>,
        answer: TeamMemberResponse,
        effect: Idempotent,
        tool: NotATool("administers the organization"),
    }

    /// Ends a membership of a team: the caller's own, or for managers that of another.
    RemoveTeamMember = Delete "/api/v2/orgs/{orgId}/teams/{teamId}/members/{memberId}" {
        summary: "End a membership of a team",
        path: TeamMemberPath,
        answer: RemovedMemberResponse,
        effect: Idempotent,
        tool: NotATool("administers the organization"),
    }
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

/// The path of an operation on one member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TeamMemberPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The team.
    pub team_id: TeamId,
    /// The member's user id.
    pub member_id: UserId,
}
