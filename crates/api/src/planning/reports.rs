//! Reports on a project's cards.

use domain::id::TeamId;
use domain::planning::flow::FlowReport;
use domain::time::{CalendarDay, Zone};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Raw;
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Answers how work flows through a project: cards open, closed, created and done on each day, lead and cycle times,
    /// throughput by week, and work in progress. With `team`, days have the cards in each column of its board, and the
    /// rest is of the cards on it.
    GetFlowReport = Get "/api/v2/projects/{projectId}/reports/flow" {
        summary: "Read a project's flow report",
        path: ProjectPath,
        query: FlowReportQuery,
        answer: FlowReport,
        effect: Reads,
        tool: Toolbox("cards"),
    }

    /// Answers the days of `getFlowReport` as a table in CSV.
    ExportFlowReport = Get "/api/v2/projects/{projectId}/reports/flow.csv" {
        summary: "Export a project's flow as a table",
        path: ProjectPath,
        query: FlowReportQuery,
        answer: Raw,
        effect: Reads,
        tool: NotATool("tools read the report as JSON"),
    }
}

/// The days and the board of a flow report.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlowReportQuery {
    /// First day. Defaults to 89 before the last; at most 1,099.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<CalendarDay>,
    /// Last day. Defaults to today.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<CalendarDay>,
    /// The board of this team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
    /// Time zone of the days. Defaults to the team's, else UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<Zone>,
}
