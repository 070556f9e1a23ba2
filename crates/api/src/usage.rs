//! Usage reports.

use domain::time::DateOrTime;
use domain::usage::report::GroupBy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The period, the grouping and the format of a report.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UsageQuery {
    /// Only events at or after this time. A date without a time means the beginning of that day in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<DateOrTime>,
    /// Only events at or before this time. A date without a time means the end of that day in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<DateOrTime>,
    /// The grouping.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_by: Option<GroupBy>,
    /// `csv` for a table with a row for each group, or one row without groups.
    #[serde(default)]
    pub format: UsageFormat,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UsageFormat {
    /// JSON.
    #[default]
    Json,
    /// A table for spreadsheets (RFC 4180).
    Csv,
}
