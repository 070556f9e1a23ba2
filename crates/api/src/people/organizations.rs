//! Organizations with their members, invitations and service accounts.

pub mod invitations;
pub mod members;
pub mod service_accounts;

use domain::id::{OrganizationId, UserId};
use domain::page::PageMeta;
use domain::people::organization::OrganizationRecord;
use domain::text::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::page::PageQuery;
use crate::{operations, tags};

/// The reason for which no operation on people is a tool.
const FOR_PEOPLE: &str = "people decide who belongs to an organization";

operations! {
    tag: tags::ORGANIZATIONS;

    /// Lists the organizations of which the caller is a member, with the caller's role in each. A key that is confined
    /// to organizations lists only these.
    ListOrganizations = Get "/api/v2/orgs" {
        summary: "List the caller's organizations",
        query: PageQuery,
        answer: ListOrganizationsResponse,
        effect: Reads,
        tool: ClientsOnly("account", "organizations are beyond a session"),
        also: everyday(),
    }

    /// Creates an organization with the caller as its owner. Its name in URLs is made of its name, and stays. A user
    /// owns a limited number of organizations: `LIMIT_REACHED`.
    CreateOrganization = Post "/api/v2/orgs" {
        summary: "Create an organization",
        body: Json<CreateOrganizationRequest>,
        answer: OrganizationResponse,
        effect: Creates,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Answers one organization of the caller, with the caller's role in it.
    GetOrganization = Get "/api/v2/orgs/{orgId}" {
        summary: "Read an organization",
        path: OrganizationPath,
        answer: OrganizationResponse,
        effect: Reads,
        tool: ClientsOnly("account", "organizations are beyond a session"),
    }

    /// Renames an organization. It takes an admin or an owner. The name in URLs stays.
    UpdateOrganization = Patch "/api/v2/orgs/{orgId}" {
        summary: "Rename an organization",
        path: OrganizationPath,
        body: Json<UpdateOrganizationRequest>,
        answer: OrganizationResponse,
        effect: Changes,
        tool: NotATool(FOR_PEOPLE),
        also: conditional(),
    }

    /// Deletes an organization with its memberships, invitations and service accounts. It takes an owner, and an
    /// organization without projects and teams: `ORGANIZATION_NOT_EMPTY` says how many there are.
    DeleteOrganization = Delete "/api/v2/orgs/{orgId}" {
        summary: "Delete an organization",
        path: OrganizationPath,
        answer: DeleteOrganizationResponse,
        effect: Idempotent,
        tool: NotATool(FOR_PEOPLE),
        also: conditional(),
    }
}

/// One organization.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct OrganizationResponse {
    /// The organization.
    pub organization: OrganizationRecord,
}

/// An organization to create.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateOrganizationRequest {
    /// Name. Its name in URLs is made of it, and stays.
    pub name: Name,
}

/// The deleted organization.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteOrganizationResponse {
    /// Always true.
    pub deleted: bool,
    /// The organization.
    pub org_id: OrganizationId,
}

/// A page of organizations, by name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListOrganizationsResponse {
    /// The organizations.
    pub organizations: Vec<OrganizationRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// A removed member.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RemovedMemberResponse {
    /// Always true.
    pub removed: bool,
    /// The user who was a member.
    pub user_id: UserId,
}

/// The new name.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UpdateOrganizationRequest {
    /// Name. The organization's name in URLs stays.
    pub name: Name,
}

/// The path of an operation on one organization.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationPath {
    /// The organization.
    pub org_id: OrganizationId,
}

impl From<OrganizationId> for OrganizationPath {
    fn from(org_id: OrganizationId) -> Self {
        Self { org_id }
    }
}
