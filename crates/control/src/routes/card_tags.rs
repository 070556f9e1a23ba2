//! The catalog of a project's card tags.

pub mod create;
pub mod delete;
pub mod get;
pub mod list;
pub mod update;

use domain::id::TagId;
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use store::TagRef;
use wire::{Endpoint, Resource, delete, get, patch, post};

use crate::app::App;

/// The endpoints of card tags.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/card-tags").with([
        get("", "listCardTags", "List a project's card tags", list::handle).tool("cards").everyday(),
        post("", "createCardTag", "Create a card tag", create::handle).tool("cards").everyday(),
        get("/{tagId}", "getCardTag", "Read a card tag", get::handle).tool("cards"),
        patch("/{tagId}", "updateCardTag", "Change or archive a card tag", update::handle)
            .conditional()
            .tool("cards"),
        delete("/{tagId}", "deleteCardTag", "Delete a card tag", delete::handle).conditional().tool("cards"),
    ])
}

/// The path of an operation on one tag.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TagPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The tag.
    tag_id: TagId,
}

impl TagPath {
    fn target(&self) -> TagRef {
        TagRef { project: self.project_id.clone(), tag: self.tag_id }
    }
}
