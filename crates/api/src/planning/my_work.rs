//! The caller's work over all projects.

use domain::planning::my_work::{WaitingApproval, WorkItem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists the open cards that are assigned to the caller, over all projects: first those that are due, by their
    /// deadline, then the most urgent, and of these those that changed last. `reasons` names those that are due within
    /// seven days or overdue, and those that open cards block. Questions of agents that wait for the caller's answer
    /// follow; these need `projects:read`.
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
    /// The questions, the first 100.
    pub approvals: Vec<WaitingApproval>,
    /// True if there are more cards; `searchCards` with `assignee=me&open=true` lists all.
    pub has_more: bool,
}
