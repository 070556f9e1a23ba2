//! The calling user: its account, and the end of its browser tokens.

pub mod get;
pub mod sign_out;

use wire::{Endpoint, Resource, get, post};

use crate::app::App;

/// The endpoints of the calling user.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/me").with([
        get("", "getMe", "Read the caller's account", get::handle)
            .tool_of_clients("account", "the account is the user's own")
            .everyday(),
        post("/sign-out", "signOut", "End the caller's browser token", sign_out::handle)
            .not_a_tool("credentials are for people"),
    ])
}
