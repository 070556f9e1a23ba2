//! Usage reports.

use domain::page::{LimitText, PageMeta};
use domain::time::{DateOrTime, Timestamp};
use domain::work::usage::MicroCredits;
use domain::work::usage::report::{CardCost, CardUsageReport, GroupBy, UsageReport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::people::organizations::OrganizationPath;
use crate::planning::cards::CardPath;
use crate::work::sessions::SessionPath;
use crate::{operations, tags};

operations! {
    tag: tags::USAGE;

    /// Reports the spending in a session, by model or day. `format=csv` answers a table.
    GetSessionUsage = Get "/api/v2/projects/{projectId}/sessions/{sessionId}/usage" {
        summary: "Report the usage of a session",
        path: SessionPath,
        query: UsageQuery,
        answer: UsageReport,
        effect: Reads,
        tool: NotATool("controls the session itself"),
    }

    /// Reports the runs that worked on a card, with their cost. It also needs a scope that reads cards.
    GetCardUsage = Get "/api/v2/projects/{projectId}/cards/{cardId}/usage" {
        summary: "Report the cost of a card",
        path: CardPath,
        answer: CardUsageReport,
        effect: Reads,
        tool: NotATool("costs are for people"),
    }

    /// Reports the costs of a project's cards, the largest first: their shares of the runs that changed them. It also
    /// needs a scope that reads cards.
    ListCardUsage = Get "/api/v2/projects/{projectId}/usage/cards" {
        summary: "Report the costs of a project's cards",
        path: ProjectPath,
        query: ListCardUsageQuery,
        answer: ListCardUsageResponse,
        effect: Reads,
        tool: NotATool("costs are for people"),
    }

    /// Reports the spending in a project, by model, session or day. `format=csv` answers a table.
    GetProjectUsage = Get "/api/v2/projects/{projectId}/usage" {
        summary: "Report the usage of a project",
        path: ProjectPath,
        query: UsageQuery,
        answer: UsageReport,
        effect: Reads,
        tool: NotATool("costs are for people"),
    }

    /// Reports the spending of an organization on its projects, by model, project, session or day, for its admins and
    /// owners. `format=csv` answers a table.
    GetOrganizationUsage = Get "/api/v2/orgs/{orgId}/usage" {
        summary: "Report the usage of an organization",
        path: OrganizationPath,
        query: UsageQuery,
        answer: UsageReport,
        effect: Reads,
        tool: NotATool("costs are for people"),
    }

    /// Reports the spending of the caller's account, by model, project, session or day. `format=csv` answers a table.
    GetUsage = Get "/api/v2/usage" {
        summary: "Report the usage of the caller's account",
        query: UsageQuery,
        answer: UsageReport,
        effect: Reads,
        tool: NotATool("costs are for people"),
    }
}

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

/// The period of a report on cards.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListCardUsageQuery {
    /// Only events at or after this time. A date without a time means the beginning of that day in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<DateOrTime>,
    /// Only events at or before this time. A date without a time means the end of that day in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<DateOrTime>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of cards, the largest cost first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListCardUsageResponse {
    /// The cards.
    pub cards: Vec<CardCost>,
    /// The project's spending: the costs of its cards on all pages, and `otherCredits`.
    #[schemars(with = "f64")]
    pub credits: MicroCredits,
    /// The spending that no card of the project has a share of.
    #[schemars(with = "f64")]
    pub other_credits: MicroCredits,
    /// Time of the newest counted event; null without an event.
    pub as_of: Option<Timestamp>,
    /// The page.
    pub meta: PageMeta,
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
