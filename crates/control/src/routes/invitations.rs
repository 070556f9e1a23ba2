//! Invitations of the calling user: those to its address, and acceptance.

pub mod accept;
pub mod list;

use wire::{Endpoint, Resource, get, post};

use crate::app::App;

/// The endpoints of the caller's invitations.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/invitations").with([
        get("", "listOwnInvitations", "List the invitations to the caller's address", list::handle)
            .not_a_tool("people decide which organizations they join"),
        post("/accept", "acceptInvitation", "Accept an invitation", accept::handle)
            .not_a_tool("people decide which organizations they join"),
    ])
}
