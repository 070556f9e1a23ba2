//! Cards of a project, and what hangs on them.

pub mod assign;
pub mod bulk;
pub mod comments;
pub mod create;
pub mod delete;
pub mod get;
pub mod link;
pub mod list;
pub mod tag;
pub mod unassign;
pub mod unlink;
pub mod untag;
pub mod update;

use domain::card::{CardRecord, IndexCard, ShownCard};
use domain::error::Location;
use domain::history::{HistoryHead, Sequence};
use domain::id::{CardId, HistoryId, ObjectId, TagId, UserId};
use domain::project::ProjectRef;
use domain::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::CardRef;
use uuid::Uuid;
use wire::Json;

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
    /// The project, or `{projectId}--{branchName}`: the branch in whose tree the object is.
    project_id: ProjectRef,
    /// The card.
    card_id: CardId,
    /// The object.
    object_id: ObjectId,
}

/// What a mutation expects; the body may be left out.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "HistoryHeadRequest")]
pub struct Expectation {
    /// The card's latest history head that the client has seen, as `If-Match` may say, too.
    expected_history_head_id: Option<HistoryId>,
}

/// A card with its head.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardResponse")]
pub struct CardAnswer {
    /// The card.
    pub card: CardRecord,
    /// Its latest history row.
    pub history_head_id: HistoryId,
    /// That row's number.
    pub history_head_sequence: Sequence,
    /// Its denormalized record.
    pub index_card: IndexCard,
}

/// What ended, and the card's head after that.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EndResponse")]
pub struct EndAnswer {
    deleted: bool,
    card_id: CardId,
    /// What is no longer at the card.
    id: Uuid,
    /// The card's latest history row.
    history_head_id: HistoryId,
    /// That row's number.
    history_head_sequence: Sequence,
}

impl CardPath {
    /// The card.
    pub fn target(&self) -> CardRef {
        CardRef { project: self.project_id.clone(), card: self.card_id }
    }
}

impl EndAnswer {
    pub fn new(card_id: CardId, id: Uuid, head: HistoryHead) -> Self {
        Self { deleted: true, card_id, id, history_head_id: head.id, history_head_sequence: head.sequence }
    }
}

impl From<ShownCard> for CardAnswer {
    fn from(shown: ShownCard) -> Self {
        let head = shown.head();
        Self {
            card: shown.card().clone(),
            history_head_id: head.id,
            history_head_sequence: head.sequence,
            index_card: shown.index_card(),
        }
    }
}

/// The head that a request without more in its body expects.
///
/// # Errors
/// As [`expected_head`].
pub fn expected(head: &wire::Head, body: Option<Json<Expectation>>) -> Result<Option<HistoryId>> {
    expected_head(head, body.and_then(|body| body.0.expected_history_head_id))
}

/// The history head that a request expects by `If-Match` (quoted, bare or weak), by its body, or by both.
///
/// # Errors
/// `INVALID_REQUEST` where the header names no head; `HISTORY_HEAD_MISMATCH` where the two differ.
pub fn expected_head(head: &wire::Head, body: Option<HistoryId>) -> Result<Option<HistoryId>> {
    let text = head.only("If-Match")?.map(str::trim);
    let Some(text) = text.filter(|text| *text != "*") else {
        return Ok(body);
    };
    let tag = text.strip_prefix("W/").unwrap_or(text);
    let tag = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or(tag);
    let header: HistoryId = tag
        .parse()
        .map_err(|_| Error::invalid("If-Match", "format", "must be one history head").at(Location::Header))?;
    if body.is_some_and(|body| body != header) {
        return Err(Error::new(
            Code::HistoryHeadMismatch,
            "`If-Match` and `expectedHistoryHeadId` name different history heads.",
        ));
    }
    Ok(Some(header))
}
