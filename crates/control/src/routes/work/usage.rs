//! Usage reports: of an account, an organization, a project and a session in the same form, and of a card.

pub mod account;
pub mod card;
pub mod cards;
pub mod organization;
pub mod project;
pub mod session;

mod table;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use api::work::usage::{UsageFormat, UsageQuery};
use domain::error::Location;
use domain::time::DateOrTime;
use domain::work::usage::report::UsageReport;
use domain::{Error, Result, Rule};
use serde_json::{Value, json};
use store::work::usage::report::ReportFilter;
use wire::{Endpoint, RequestHead, Schemas, endpoint};

use crate::app::App;

/// The endpoints of usage reports.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![
        endpoint(session::handle),
        endpoint(card::handle),
        endpoint(cards::handle),
        endpoint(project::handle),
        endpoint(organization::handle),
        endpoint(account::handle),
    ]
}

/// A report in the requested format.
#[derive(Debug)]
pub struct Answer {
    report: UsageReport,
    format: UsageFormat,
}

/// The validated query.
fn filter(query: &UsageQuery) -> Result<ReportFilter> {
    let (from, to) = (query.from.map(DateOrTime::start), query.to.map(DateOrTime::end));
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        return Err(Error::invalid("to", Rule::NotBefore(from.to_string()), "must not be before `from`")
            .at(Location::Query));
    }
    Ok(ReportFilter { from, to, group_by: query.group_by })
}

impl wire::HandlerAnswer for Answer {
    type Declared = UsageReport;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let mut response = HttpResponse::Ok();
        match self.format {
            UsageFormat::Json => {
                let body = serde_json::to_vec(&self.report).map_err(Error::internal)?;
                Ok(response.insert_header((CONTENT_TYPE, "application/json")).body(body))
            }
            UsageFormat::Csv => Ok(response
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
