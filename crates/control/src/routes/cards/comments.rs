//! Comments on a card.

pub mod create;
pub mod delete;
pub mod list;
pub mod update;

use domain::card::Comment;
use domain::history::Sequence;
use domain::id::{CardId, CommentId, HistoryId};
use domain::project::ProjectRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
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

/// A comment with its card's history head.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CommentResponse")]
pub struct CommentAnswer {
    /// The comment.
    comment: Comment,
    /// The card's latest history row.
    history_head_id: HistoryId,
    /// The sequence of that row.
    history_head_sequence: Sequence,
}

impl CommentPath {
    fn card(&self) -> CardRef {
        CardRef { project: self.project_id.clone(), card: self.card_id }
    }
}
