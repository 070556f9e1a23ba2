//! Organizations of the calling user, with their members, invitations and service accounts.

pub mod create;
pub mod delete;
pub mod get;
pub mod invitations;
pub mod list;
pub mod members;
pub mod service_accounts;
pub mod update;

use wire::{Endpoint, Resource, delete, get, patch, post};

use crate::app::App;

/// The reason for which no operation on people is a tool.
const FOR_PEOPLE: &str = "people decide who belongs to an organization";

/// The endpoints of organizations.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/orgs").with([
        get("", "listOrganizations", "List the caller's organizations", list::handle)
            .tool_of_clients("account", "organizations are beyond a session")
            .everyday(),
        post("", "createOrganization", "Create an organization", create::handle).not_a_tool(FOR_PEOPLE),
        get("/{orgId}", "getOrganization", "Read an organization", get::handle)
            .tool_of_clients("account", "organizations are beyond a session"),
        patch("/{orgId}", "updateOrganization", "Rename an organization", update::handle)
            .conditional()
            .not_a_tool(FOR_PEOPLE),
        delete("/{orgId}", "deleteOrganization", "Delete an organization", delete::handle)
            .conditional()
            .not_a_tool(FOR_PEOPLE),
        get("/{orgId}/members", "listMembers", "List an organization's members", members::list::handle)
            .tool_of_clients("account", "organizations are beyond a session"),
        get("/{orgId}/members/{memberId}", "getMember", "Read a member", members::get::handle)
            .tool_of_clients("account", "organizations are beyond a session"),
        patch(
            "/{orgId}/members/{memberId}",
            "updateMember",
            "Change a member's role",
            members::update::handle,
        )
        .conditional()
        .not_a_tool(FOR_PEOPLE),
        delete(
            "/{orgId}/members/{memberId}",
            "removeMember",
            "Remove a member, or leave the organization",
            members::remove::handle,
        )
        .conditional()
        .not_a_tool(FOR_PEOPLE),
        get(
            "/{orgId}/invitations",
            "listInvitations",
            "List an organization's open invitations",
            invitations::list::handle,
        )
        .not_a_tool(FOR_PEOPLE),
        post("/{orgId}/invitations", "createInvitation", "Invite a person", invitations::create::handle)
            .shows_secret()
            .not_a_tool(FOR_PEOPLE),
        delete(
            "/{orgId}/invitations/{invitationId}",
            "revokeInvitation",
            "Revoke an invitation",
            invitations::revoke::handle,
        )
        .not_a_tool(FOR_PEOPLE),
        post(
            "/{orgId}/service-accounts",
            "createServiceAccount",
            "Create a service account",
            service_accounts::create::handle,
        )
        .not_a_tool(FOR_PEOPLE),
        get(
            "/{orgId}/service-accounts/{accountId}/keys",
            "listServiceAccountKeys",
            "List a service account's API keys",
            service_accounts::list_keys::handle,
        )
        .not_a_tool("credentials are for people"),
        post(
            "/{orgId}/service-accounts/{accountId}/keys",
            "createServiceAccountKey",
            "Issue an API key to a service account",
            service_accounts::create_key::handle,
        )
        .shows_secret()
        .not_a_tool("credentials are for people"),
        delete(
            "/{orgId}/service-accounts/{accountId}/keys/{keyId}",
            "revokeServiceAccountKey",
            "Revoke a service account's API key",
            service_accounts::revoke_key::handle,
        )
        .not_a_tool("credentials are for people"),
    ])
}
