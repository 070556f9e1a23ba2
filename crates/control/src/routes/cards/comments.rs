//! Comments on a card.

pub mod create;
pub mod delete;
pub mod list;
pub mod update;

use domain::id::{CardId, CommentId};
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::Deserialize;
use store::CardRef;

/// The path of an operation on one comment.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommentPath {
    /// The project, or `{projectId}--{branchName}`.
    project_id: ProjectRef,
    /// The card.
    card_id: CardId,
    /// The comment.
    comment_id: CommentId,
}

impl CommentPath {
    fn card(&self) -> CardRef {
        CardRef { project: self.project_id.clone(), card: self.card_id }
    }
}
