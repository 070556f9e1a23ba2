//! Organizations of the calling user.

pub mod get;
pub mod list;

use wire::{Endpoint, Resource, get};

use crate::app::App;

/// The endpoints of organizations.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/orgs").with([
        get("", "listOrganizations", "List the caller's organizations", list::handle)
            .not_a_tool("organizations are beyond a session"),
        get("/{orgId}", "getOrganization", "Read an organization", get::handle)
            .not_a_tool("organizations are beyond a session"),
    ])
}
