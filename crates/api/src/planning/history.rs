//! The history of cards.

use domain::content::project::ProjectRef;
use domain::key::CardName;
use domain::page::LimitText;
use domain::planning::history::{HistoryRow, Sequence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists the changes of a card, even after its deletion: oldest first, paged with `meta.nextAfter` as `after`, or
    /// with `sort=newest` newest first, paged with `meta.nextBefore` as `before`.
    ListCardHistory = Get "/api/v2/projects/{projectId}/cards/{cardId}/history" {
        summary: "Read a card's history",
        path: CardHistoryPath,
        query: HistoryQuery,
        answer: ListHistoryResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }

    /// Lists the changes of all cards of a project, in the order of their sequences. A reader that remembers
    /// `meta.nextAfter` as `after` misses no row, so this is the way to keep a copy up to date. `sort=newest` begins
    /// with the last changes.
    ListHistory = Get "/api/v2/projects/{projectId}/history" {
        summary: "Read a project's card history",
        path: ProjectPath,
        query: HistoryQuery,
        answer: ListHistoryResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }
}

/// The selection of a page.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryQuery {
    /// The sequence of the last row that the client has. Defaults to the beginning.
    #[schemars(regex(pattern = r"^\d+$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The sequence of the first row that the client has, with `sort=newest`. Defaults to the end.
    #[schemars(regex(pattern = r"^\d+$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The order. Defaults to `oldest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<HistoryOrder>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
}

/// An order of history rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HistoryOrder {
    /// By sequence, from the beginning or `after`.
    #[default]
    Oldest,
    /// By sequence, from the end or `before` backwards.
    Newest,
}

/// A page of history, in the order of sequences or backwards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListHistoryResponse {
    /// The history.
    pub history: Vec<HistoryRow>,
    /// The position of the next page.
    pub meta: HistoryMeta,
}

/// The position of the next page.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryMeta {
    /// The applied limit.
    pub limit: u32,
    /// True if more rows exist now.
    pub has_more: bool,
    /// `after` of the next page, also if its rows don't exist yet. Of a page that begins with the newest row, it follows
    /// that row.
    pub next_after: Sequence,
    /// `before` of the next page, with `sort=newest`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_before: Option<Sequence>,
}

/// The path of a card's history.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardHistoryPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The card, by its id or key; a deleted one by its id.
    pub card_id: CardName,
}
