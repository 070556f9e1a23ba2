//! Reports of spending.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CardId, OrganizationId, ProjectId, RunId, SessionId};
use crate::text::Name;
use crate::time::Timestamp;
use crate::work::usage::MicroCredits;

/// The scope of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "UsageScope")]
pub enum UsageScope {
    /// All spending of the caller's account.
    Account,
    /// One project.
    Project,
    /// One session.
    Session,
    /// An organization's projects.
    Organization,
}

/// The grouping of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "UsageGroupBy")]
pub enum GroupBy {
    /// By provider and model.
    Model,
    /// By project.
    Project,
    /// By session.
    Session,
    /// By day in UTC.
    Day,
}

impl GroupBy {
    /// Its name in queries.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Project => "project",
            Self::Session => "session",
            Self::Day => "day",
        }
    }
}

/// Sums over charged calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UsageTotals")]
pub struct UsageTotals {
    /// Credits charged, to six decimal places.
    #[schemars(with = "f64")]
    pub credits: MicroCredits,
    /// Uncached prompt tokens.
    pub prompt_tokens: i64,
    /// Completion tokens.
    pub completion_tokens: i64,
    /// Reasoning tokens, charged at the completion price.
    pub reasoning_tokens: i64,
    /// Prompt tokens written to the cache.
    pub cache_write_tokens: i64,
    /// Prompt tokens that the model's provider read from its cache.
    pub cache_read_tokens: i64,
    /// Number of charged calls.
    pub event_count: i64,
    /// Number of those whose tokens are estimated, because the model's server did not count them. Absent if zero.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub estimated_event_count: i64,
}

/// A group of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UsageGroup")]
pub struct UsageGroup {
    /// The model's provider, if grouped by model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model, if grouped by model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The project, if grouped by project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The session, if grouped by session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Midnight UTC of the day, if grouped by day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<Timestamp>,
    /// Sums of the group.
    #[serde(flatten)]
    pub totals: UsageTotals,
}

/// The spending in a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UsageReport")]
pub struct UsageReport {
    /// The report's scope.
    pub scope: UsageScope,
    /// Time of the newest counted event; null without an event.
    pub as_of: Option<Timestamp>,
    /// Sums over all groups.
    pub totals: UsageTotals,
    /// The project of a project or session report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The session of a session report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// The organization of an organization's report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub org_id: Option<OrganizationId>,
    /// Grouping, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<GroupBy>,
    /// Groups, if requested: the largest spending first, days in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<UsageGroup>>,
}

/// The cost of a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardUsageReport")]
pub struct CardUsageReport {
    /// The project.
    pub project_id: ProjectId,
    /// The card.
    pub card_id: CardId,
    /// Time of the newest counted event; null without an event.
    pub as_of: Option<Timestamp>,
    /// Sum of the card's shares of the runs that changed it.
    #[schemars(with = "f64")]
    pub credits: MicroCredits,
    /// Number of runs that changed it.
    pub run_count: i64,
    /// The 100 runs with the largest shares, in that order.
    pub runs: Vec<CardUsageRun>,
}

/// The cost of a card in a period.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardCost")]
pub struct CardCost {
    /// The card.
    pub card_id: CardId,
    /// Its name; null if it was deleted.
    pub name: Option<Name>,
    /// Sum of its shares of the runs that changed it.
    #[schemars(with = "f64")]
    pub credits: MicroCredits,
    /// Number of runs that changed it.
    pub run_count: i64,
}

/// A run that changed a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardUsageRun")]
pub struct CardUsageRun {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub task_id: RunId,
    /// The card's share of the run's cost.
    #[schemars(with = "f64")]
    pub credits: MicroCredits,
    /// The run's cost.
    #[schemars(with = "f64")]
    pub run_credits: MicroCredits,
    /// Number of cards that the run changed.
    pub card_count: i64,
}

fn is_zero(count: &i64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::UsageTotals;
    use crate::work::usage::MicroCredits;

    #[test]
    fn credits_are_shown_to_six_places() {
        let shown = |micro| {
            let totals = UsageTotals { credits: MicroCredits(micro), ..UsageTotals::default() };
            serde_json::to_value(totals).unwrap()["credits"].to_string()
        };
        assert_eq!(shown(0), "0.0");
        assert_eq!(shown(1), "1e-6");
        assert_eq!(shown(1_234_567), "1.234567");
        assert_eq!(shown(999_999_999_999_999), "999999999.999999");
    }
}
