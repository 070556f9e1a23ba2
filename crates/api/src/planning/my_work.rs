//! The caller's work over all projects.

use domain::planning::my_work::{MentionedCard, WaitingApproval, WorkItem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists the caller's open cards over all projects: those that are due first, by deadline, then the most urgent.
    /// `reasons` tells which are due within seven days or blocked. Questions of agents to the caller need
    /// `projects:read`.
    GetMyWork = Get "/api/v2/me/work" {
        summary: "List the caller's work",
        answer: GetMyWorkResponse,
        effect: Reads,
        tool: ClientsOnly("cards", "a session has one project"),
        also: everyday(),
    }
}

/// The caller's work.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetMyWorkResponse {
    /// The cards, the first 200.
    pub cards: Vec<WorkItem>,
    /// Open cards that mention the caller, the newest mention first.
    pub mentioned: Vec<MentionedCard>,
    /// True if there are more.
    pub has_more_mentioned: bool,
    /// The questions, the first 100.
    pub approvals: Vec<WaitingApproval>,
    /// True if there are more cards; `searchCards` with `assignee=me&open=true` lists all.
    pub has_more: bool,
}
