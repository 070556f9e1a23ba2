//! The cards that a team can take onto its board.

use domain::content::project::ProjectIds;
use domain::id::TeamId;
use domain::page::LimitText;
use domain::planning::available::{AvailableTeamCard, ProjectOption};
use domain::text::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::planning::teams::TeamPath;
use crate::{operations, tags};

operations! {
    tag: tags::TEAMS;

    /// Searches the open cards of linked projects that the caller may write and that are not on the board.
    ListAvailableCards = Get "/api/v2/orgs/{orgId}/teams/{teamId}/available-cards" {
        summary: "Search the cards that a team can take onto its board",
        path: TeamPath,
        query: ListAvailableCardsQuery,
        answer: AvailableTeamCardsResponse,
        effect: Reads,
        tool: Toolbox("teams"),
        also: everyday(), closed_statuses(),
    }
}

/// The filter of cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListAvailableCardsQuery {
    /// Only cards whose name, description or resolution contains this text, regardless of case.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only cards of these eligible projects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_ids: Option<ProjectIds>,
    /// Only cards of eligible projects other than these. Not together with `projectIds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_project_ids: Option<ProjectIds>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of cards, most recently changed first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct AvailableTeamCardsResponse {
    /// The team.
    pub team: TeamName,
    /// The cards.
    pub cards: Vec<AvailableTeamCard>,
    /// The values by which the search can be filtered.
    pub filter_options: AvailableTeamCardsOptions,
    /// The position of the page.
    pub meta: AvailableTeamCardsMeta,
}

/// A team.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TeamName {
    /// Id.
    pub id: TeamId,
    /// Name.
    pub name: Name,
}

/// Values by which the search can be filtered.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct AvailableTeamCardsOptions {
    /// All linked projects whose cards the caller can write, by name.
    pub projects: Vec<ProjectOption>,
}

/// The page, and the number of all cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct AvailableTeamCardsMeta {
    /// The applied limit.
    pub limit: u32,
    /// Number of cards on all pages.
    pub total: i64,
    /// True if more cards follow.
    pub has_more: bool,
    /// `cursor` of the next page.
    pub next_cursor: Option<String>,
}
