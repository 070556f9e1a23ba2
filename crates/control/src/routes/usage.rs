//! Usage reports: of an account, a project and a session in the same form, and of a card.

pub mod account;
pub mod card;
pub mod project;
pub mod session;

mod table;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use domain::error::Location;
use domain::time::DateOrTime;
use domain::usage::report::{GroupBy, UsageReport};
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::usage::report::ReportFilter;
use wire::{Endpoint, RequestHead, Resource, Schemas, get};

use crate::app::App;

/// The endpoints of usage reports.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2").with([
        get(
            "/projects/{projectId}/sessions/{sessionId}/usage",
            "getSessionUsage",
            "Report the usage of a session",
            session::handle,
        )
        .not_a_tool("controls the session itself"),
        get(
            "/projects/{projectId}/cards/{cardId}/usage",
            "getCardUsage",
            "Report the cost of a card",
            card::handle,
        )
        .not_a_tool("costs are for people"),
        get(
            "/projects/{projectId}/usage",
            "getProjectUsage",
            "Report the usage of a project",
            project::handle,
        )
        .not_a_tool("costs are for people"),
        get("/usage", "getUsage", "Report the usage of the caller's account", account::handle)
            .not_a_tool("costs are for people"),
    ])
}

/// The period, the grouping and the format of a report.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only events at or after this time. A date without a time means the beginning of that day in UTC.
    from: Option<DateOrTime>,
    /// Only events at or before this time. A date without a time means the end of that day in UTC.
    to: Option<DateOrTime>,
    /// The grouping.
    group_by: Option<GroupBy>,
    /// `csv` for a table with a row for each group, or one row without groups.
    #[serde(default)]
    format: Format,
}

/// The format of a report.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "UsageFormat")]
enum Format {
    /// JSON.
    #[default]
    Json,
    /// A table for spreadsheets (RFC 4180).
    Csv,
}

/// A report in the requested format.
#[derive(Debug)]
pub struct Answer {
    report: UsageReport,
    format: Format,
}

impl Query {
    /// The validated query.
    fn filter(&self) -> Result<ReportFilter> {
        let (from, to) = (self.from.map(DateOrTime::start), self.to.map(DateOrTime::end));
        if let (Some(from), Some(to)) = (from, to)
            && to < from
        {
            return Err(Error::invalid("to", Rule::NotBefore(from.to_string()), "must not be before `from`")
                .at(Location::Query));
        }
        Ok(ReportFilter { from, to, group_by: self.group_by })
    }

    /// The report in the requested format.
    fn answer(&self, report: UsageReport) -> Answer {
        Answer { report, format: self.format }
    }
}

impl wire::HandlerAnswer for Answer {
    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let mut response = HttpResponse::Ok();
        match self.format {
            Format::Json => {
                let body = serde_json::to_vec(&self.report).map_err(Error::internal)?;
                Ok(response.insert_header((CONTENT_TYPE, "application/json")).body(body))
            }
            Format::Csv => Ok(response
                .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8; header=present"))
                .insert_header((CONTENT_DISPOSITION, "attachment; filename=\"usage.csv\""))
                .body(table::csv(&self.report)?)),
        }
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({
            "application/json": { "schema": schemas.answer::<UsageReport>() },
            "text/csv": { "schema": { "type": "string" } },
        });
        vec![(200, json!({ "description": "Success", "content": content }))]
    }
}
