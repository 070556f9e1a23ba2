//! Commits of cards.

use domain::content::commit::CardCommit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::planning::cards::CardPath;
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists the commits whose messages name a card, newest first, at most 100. It also needs a scope that reads
    /// projects.
    ListCardCommits = Get "/api/v2/projects/{projectId}/cards/{cardId}/commits" {
        summary: "List a card's commits",
        path: CardPath,
        answer: ListCardCommitsResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }
}

/// The commits of a card.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListCardCommitsResponse {
    /// The commits.
    pub commits: Vec<CardCommit>,
}
