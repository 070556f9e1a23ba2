//! Uncommitted changes of a branch.

pub mod discard;
pub mod get;

use wire::{Endpoint, Resource, delete, get};

use crate::app::App;

/// The endpoints of uncommitted changes.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/branches/{branch}/changes").with([
        get("", "getChanges", "Read a branch's uncommitted changes", get::handle).tool("project").everyday(),
        delete("", "discardChanges", "Discard uncommitted changes", discard::handle)
            .conditional()
            .tool("project"),
    ])
}
