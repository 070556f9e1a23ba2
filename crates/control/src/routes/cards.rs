//! Cards of a project, with their comments, assignees, tags and links.

pub mod assign;
pub mod bulk;
pub mod comments;
pub mod create;
pub mod delete;
pub mod get;
pub mod link;
pub mod list;
pub mod search;
pub mod tag;
pub mod unassign;
pub mod unlink;
pub mod untag;
pub mod update;

use domain::id::{CardId, ObjectId, TagId, UserId};
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use store::CardRef;
use wire::{Endpoint, Resource, delete, get, patch, post, put};

use crate::app::App;
use crate::routes::history;

/// The endpoints of cards.
pub fn endpoints() -> Vec<Endpoint<App>> {
    let search = get("", "searchCards", "Search the cards of all projects", search::handle)
        .tool_of_clients("cards", "a session has one project");
    let mut endpoints = Resource::at("/api/v2/cards").with([search]);
    endpoints.extend(in_project());
    endpoints
}

fn in_project() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/cards").with([
        get("", "listCards", "List a project's cards", list::handle).tool("cards").everyday(),
        post("", "createCard", "Create a card", create::handle).tool("cards").everyday(),
        post("/bulk", "changeCards", "Create, change and delete many cards", bulk::handle)
            .destroys()
            .tool("cards"),
        get("/{cardId}", "getCard", "Read a card", get::handle).tool("cards").everyday(),
        patch("/{cardId}", "updateCard", "Change, close or reopen a card", update::handle)
            .conditional()
            .tool("cards")
            .everyday(),
        delete("/{cardId}", "deleteCard", "Delete a card", delete::handle).conditional().tool("cards"),
        get("/{cardId}/history", "listCardHistory", "Read a card's history", history::of_card::handle)
            .tool("cards"),
        get("/{cardId}/comments", "listComments", "List a card's comments", comments::list::handle)
            .tool("cards")
            .everyday(),
        post("/{cardId}/comments", "createComment", "Comment on a card", comments::create::handle)
            .conditional()
            .tool("cards")
            .everyday(),
        patch(
            "/{cardId}/comments/{commentId}",
            "updateComment",
            "Change a comment",
            comments::update::handle,
        )
        .conditional()
        .tool("cards"),
        delete(
            "/{cardId}/comments/{commentId}",
            "deleteComment",
            "Delete a comment",
            comments::delete::handle,
        )
        .conditional()
        .tool("cards"),
        put("/{cardId}/assignees/{userId}", "assignCard", "Assign a card to a user", assign::handle)
            .conditional()
            .tool("cards")
            .everyday(),
        delete("/{cardId}/assignees/{userId}", "unassignCard", "End an assignment", unassign::handle)
            .conditional()
            .tool("cards")
            .everyday(),
        put("/{cardId}/tags/{tagId}", "tagCard", "Put a tag on a card", tag::handle)
            .conditional()
            .tool("cards")
            .everyday(),
        delete("/{cardId}/tags/{tagId}", "untagCard", "Remove a tag from a card", untag::handle)
            .conditional()
            .tool("cards"),
        put("/{cardId}/objects/{objectId}", "linkCard", "Link a card to an object", link::handle)
            .conditional()
            .tool("cards")
            .everyday(),
        delete(
            "/{cardId}/objects/{objectId}",
            "unlinkCard",
            "End a card's link to an object",
            unlink::handle,
        )
        .conditional()
        .tool("cards"),
    ])
}

/// The path of an operation on one card.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The card.
    card_id: CardId,
}

/// The path of an assignment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssigneePath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The card.
    card_id: CardId,
    /// The assignee.
    user_id: UserId,
}

/// The path of a tag on a card.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardTagPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The card.
    card_id: CardId,
    /// The tag.
    tag_id: TagId,
}

/// The path of a card's link to an object.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardObjectPath {
    /// The project, or `{projectId}--{branchName}`, which names the branch of the object.
    project_id: ProjectRef,
    /// The card.
    card_id: CardId,
    /// The object.
    object_id: ObjectId,
}

impl CardPath {
    /// The card.
    pub fn target(&self) -> CardRef {
        CardRef { project: self.project_id.clone(), card: self.card_id }
    }
}
