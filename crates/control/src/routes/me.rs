//! The calling user: its account, and the end of its browser tokens.

pub mod get;
pub mod sign_out;
pub mod update;

use wire::{Endpoint, Resource, get, patch, post};

use crate::app::App;

/// The endpoints of the calling user.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/me").with([
        get("", "getMe", "Read the caller's account", get::handle)
            .tool_of_clients("account", "the account is the user's own")
            .everyday(),
        patch("", "updateMe", "Change the caller's account", update::handle)
            .conditional()
            .not_a_tool("people choose what others see of them"),
        post("/sign-out", "signOut", "End the caller's browser token", sign_out::handle)
            .not_a_tool("credentials are for people"),
    ])
}
