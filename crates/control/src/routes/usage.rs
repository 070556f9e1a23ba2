//! What was spent, and by what: three reports of one shape (specification, "Session usage report"), and that of a card.

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
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::usage::report::ReportFilter;
use wire::{Head, Schemas};

/// Which events are counted, how they are grouped, and how that is written.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only events at or after it; a date alone means the beginning of that day in UTC.
    from: Option<DateOrTime>,
    /// Only events at or before it; a date alone means the end of that day in UTC.
    to: Option<DateOrTime>,
    /// By what to break it down.
    group_by: Option<GroupBy>,
    /// `csv` for a table: a row for each group, or one for everything.
    #[serde(default)]
    format: Format,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "UsageFormat")]
enum Format {
    /// As JSON.
    #[default]
    Json,
    /// As a table that spreadsheets open (RFC 4180).
    Csv,
}

/// A report in the format that was asked for.
#[derive(Debug)]
pub struct Answer {
    report: UsageReport,
    format: Format,
}

impl Query {
    /// What it asks for.
    fn filter(&self) -> Result<ReportFilter> {
        let (from, to) = (self.from.map(DateOrTime::start), self.to.map(DateOrTime::end));
        if from.zip(to).is_some_and(|(from, to)| to < from) {
            return Err(Error::invalid("to", "order", "must not be before `from`").at(Location::Query));
        }
        Ok(ReportFilter { from, to, group_by: self.group_by })
    }

    /// The report as it asks for it.
    fn answer(&self, report: UsageReport) -> Answer {
        Answer { report, format: self.format }
    }
}

impl wire::Answer for Answer {
    fn into_response(self, _: &Head) -> Result<HttpResponse> {
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
