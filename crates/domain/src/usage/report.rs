//! Reports of what was spent (specification, "Session usage report").

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::id::{CardId, ProjectId, RunId, SessionId};
use crate::time::Timestamp;
use crate::usage::MicroCredits;

/// What a report adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "UsageScope")]
pub enum Scope {
    /// Everything that the caller's account pays for.
    Account,
    /// One project.
    Project,
    /// One session.
    Session,
}

/// By what a report is broken down.
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
    /// As it is written in queries.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UsageTotals")]
pub struct Totals {
    /// Credits charged, to six decimal places.
    #[serde(serialize_with = "decimal")]
    #[schemars(with = "f64")]
    pub credits: MicroCredits,
    /// Tokens that were read.
    pub prompt_tokens: i64,
    /// Tokens that were written.
    pub completion_tokens: i64,
    /// Tokens that were thought, charged at the completion rate.
    pub reasoning_tokens: i64,
    /// Tokens that went into the cache.
    pub cache_write_tokens: i64,
    /// Tokens that came from the cache.
    pub cache_read_tokens: i64,
    /// Charged calls.
    pub event_count: i64,
}

/// A part of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UsageGroup")]
pub struct Group {
    /// Whose model, where it is grouped by model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model, where it is grouped by model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The project, where it is grouped by project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The session, where it is grouped by session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Midnight UTC of the day, where it is grouped by day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<Timestamp>,
    /// Its sums.
    #[serde(flatten)]
    pub totals: Totals,
}

/// What was spent in a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "UsageReport")]
pub struct Report {
    /// What it adds up.
    pub scope: Scope,
    /// When the newest counted event was recorded; null where there is none.
    pub as_of: Option<Timestamp>,
    /// The sums of everything counted, grouped or not.
    pub totals: Totals,
    /// The project, in the report of a project or a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The session, in the report of a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// By what it is broken down, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<GroupBy>,
    /// Its parts: the largest spend first, days in their order. Absent unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<Group>>,
}

/// What a card has cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardUsageReport")]
pub struct CardReport {
    /// The project.
    pub project_id: ProjectId,
    /// The card.
    pub card_id: CardId,
    /// When the newest counted event was recorded; null where there is none.
    pub as_of: Option<Timestamp>,
    /// The card's parts of what the runs cost that changed it, together.
    #[serde(serialize_with = "decimal")]
    #[schemars(with = "f64")]
    pub credits: MicroCredits,
    /// How many runs changed it.
    pub run_count: i64,
    /// The 100 of them that cost it most, the largest part first.
    pub runs: Vec<CardRun>,
}

/// A run that changed a card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CardUsageRun")]
pub struct CardRun {
    /// The session.
    pub session_id: SessionId,
    /// The run.
    pub task_id: RunId,
    /// The card's part of what the run cost.
    #[serde(serialize_with = "decimal")]
    #[schemars(with = "f64")]
    pub credits: MicroCredits,
    /// What the run cost.
    #[serde(serialize_with = "decimal")]
    #[schemars(with = "f64")]
    pub run_credits: MicroCredits,
    /// How many cards were changed while it went on.
    pub card_count: i64,
}

/// Credits as a number. A float shows six decimal places exactly up to a billion credits.
fn decimal<S: Serializer>(credits: &MicroCredits, serializer: S) -> Result<S::Ok, S::Error> {
    let number: f64 = credits.to_string().parse().map_err(serde::ser::Error::custom)?;
    serializer.serialize_f64(number)
}

#[cfg(test)]
mod tests {
    use super::Totals;
    use crate::usage::MicroCredits;

    #[test]
    fn credits_are_shown_to_six_places() {
        let shown = |micro| {
            let totals = Totals { credits: MicroCredits(micro), ..Totals::default() };
            serde_json::to_value(totals).unwrap()["credits"].to_string()
        };
        assert_eq!(shown(0), "0.0");
        assert_eq!(shown(1), "1e-6");
        assert_eq!(shown(1_234_567), "1.234567");
        assert_eq!(shown(999_999_999_999_999), "999999999.999999");
    }
}
