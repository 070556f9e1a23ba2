//! Members of organizations.

use domain::id::{OrganizationId, UserId};
use domain::page::PageMeta;
use domain::people::api_key::MadeKey;
use domain::people::member::OrganizationMember;
use domain::people::role::OrganizationRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::page::MemberQuery;
use crate::people::organizations::{FOR_PEOPLE, OrganizationPath};
use crate::{operations, tags};

operations! {
    tag: tags::MEMBERS;

    /// Lists the members of an organization in the order of their ids, with their roles. Filter by a part of the name.
    /// Admins and owners also see email addresses. Guests see themselves alone.
    ListMembers = Get "/api/v2/orgs/{orgId}/members" {
        summary: "List an organization's members",
        path: OrganizationPath,
        query: MemberQuery,
        answer: ListMembersResponse,
        effect: Reads,
        tool: ClientsOnly("account", "organizations are beyond a session"),
    }

    /// Answers one member of an organization. Guests see themselves alone.
    GetMember = Get "/api/v2/orgs/{orgId}/members/{memberId}" {
        summary: "Read a member",
        path: MemberPath,
        answer: OrganizationMemberResponse,
        effect: Reads,
        tool: ClientsOnly("account", "organizations are beyond a session"),
    }

    /// Gives a member another role. It takes an admin or an owner; only owners make owners, and change their roles. The
    /// last owner keeps the role: `LAST_OWNER`. Open invitations of a member whose role shrinks are revoked.
    UpdateMember = Patch "/api/v2/orgs/{orgId}/members/{memberId}" {
        summary: "Change a member's role",
        path: MemberPath,
        body: Json<UpdateMemberRequest>,
        answer: OrganizationMemberResponse,
        effect: Changes,
        tool: NotATool(FOR_PEOPLE),
        also: conditional(),
    }

    /// Removes a member from an organization, or lets the caller leave it. Only owners remove an owner, and the last
    /// one can't go: `LAST_OWNER`. Memberships of its teams and projects end, too, with sessions, grants and streams. A
    /// service account ends with its keys. Keys that the member made for service accounts still work: the answer lists
    /// them as `serviceKeys` to admins, and `revokeKeys=true` revokes them.
    RemoveMember = Delete "/api/v2/orgs/{orgId}/members/{memberId}" {
        summary: "Remove a member, or leave the organization",
        path: MemberPath,
        query: RemoveMemberQuery,
        answer: RemovedOrganizationMemberResponse,
        effect: Idempotent,
        tool: NotATool(FOR_PEOPLE),
        also: conditional(),
    }
}

/// One member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OrganizationMemberResponse {
    /// The member.
    pub member: OrganizationMember,
}

/// A member who was removed from an organization.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedOrganizationMemberResponse {
    /// Always true.
    pub removed: bool,
    /// The user who was a member.
    pub user_id: UserId,
    /// The usable keys that the user made for service accounts; only admins and owners see them.
    pub service_keys: Vec<MadeKey>,
    /// True if these keys are revoked.
    pub keys_revoked: bool,
}

/// The handling of what a removed member made.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("additionalProperties" = false))]
pub struct RemoveMemberQuery {
    /// True to revoke the keys that the member made for service accounts; default false.
    pub revoke_keys: Option<bool>,
}

/// A page of members, in the order of their ids.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListMembersResponse {
    /// The members.
    pub members: Vec<OrganizationMember>,
    /// The page.
    pub meta: PageMeta,
}

/// The new role.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateMemberRequest {
    /// Role in the organization. Only owners make owners.
    pub role: OrganizationRole,
}

/// The path of an operation on one member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The member's user id.
    pub member_id: UserId,
}
