//! The audit log: who changed what in a project or an organization, and who was refused.

pub mod of_organization;
pub mod of_project;

use actix_web::HttpResponse;
use actix_web::http::header::{ACCEPT, CONTENT_TYPE};
use api::people::audit::{AuditQuery, AuditResponse, NEXT_CURSOR};
use domain::error::Location;
use domain::id::UserId;
use domain::people::audit::AuditEntry;
use domain::time::DateOrTime;
use domain::{Error, Result, Rule};
use serde_json::{Value, json};
use store::people::audit_log::AuditFilter;
use wire::{Endpoint, HandlerAnswer, RequestHead, Schemas, endpoint};

use crate::app::App;
use crate::routes::page::PageRequest;

/// JSON values in lines.
const NDJSON: &str = "application/x-ndjson";
/// Longest name of an operation or a result, in characters.
const NAME_MAX_CHARS: usize = 100;

/// The endpoints of the audit log.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(of_organization::handle), endpoint(of_project::handle)]
}

/// The description of a list: its subject and its filters.
type ListFilter = (&'static str, String, Option<UserId>, [Option<String>; 4]);
/// A validated query.
type AuditPage<'a> = (AuditFilter, PageRequest<'a, ListFilter, i64>);

/// The validated query for the log of `whose`.
fn page(query: AuditQuery, app: &App, whose: String) -> Result<AuditPage<'_>> {
    let AuditQuery { actor, operation, result, from, to, limit, cursor } = query;
    check_name("operation", operation.as_deref())?;
    check_name("result", result.as_deref())?;
    let (from, to) = (from.map(DateOrTime::start), to.map(DateOrTime::end));
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        return Err(Error::invalid("to", Rule::NotBefore(from.to_string()), "must not be before `from`")
            .at(Location::Query));
    }
    let times = [from, to].map(|time| time.map(|time| time.to_string()));
    let [since, until] = times;
    let described = ("audit", whose, actor, [operation.clone(), result.clone(), since, until]);
    let page = PageRequest::open(&app.cursors, described, limit, cursor)?;
    let filter = AuditFilter { actor, operation, result, from, to, before: page.from, rows: page.rows() };
    Ok((filter, page))
}

/// The name of an operation or a result.
const NAME_PATTERN: &str = "^[A-Za-z0-9._]*$";

/// Refuses what no operation and no result is called.
fn check_name(field: &str, name: Option<&str>) -> Result<()> {
    let is_name = |name: &str| {
        name.len() <= NAME_MAX_CHARS
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._".contains(&byte))
    };
    if name.is_none_or(is_name) {
        return Ok(());
    }
    let message = format!("must be at most {NAME_MAX_CHARS} letters, digits, dots and underscores");
    Err(Error::invalid(field, Rule::Pattern(NAME_PATTERN.to_owned()), message).at(Location::Query))
}

/// The page of the entries that were read.
fn answer(page: &PageRequest<'_, ListFilter, i64>, found: Vec<AuditEntry>) -> Result<Answer> {
    let (entries, meta) = page.cut(found, |entry| entry.id.parse().unwrap_or_default())?;
    Ok(Answer(AuditResponse { entries, meta }))
}

/// A page of the log in the format that the client accepts.
#[derive(Debug)]
pub struct Answer(AuditResponse);

impl HandlerAnswer for Answer {
    type Declared = AuditResponse;

    fn into_response(self, head: &RequestHead) -> Result<HttpResponse> {
        let mut response = HttpResponse::Ok();
        response.insert_header(("vary", "Accept"));
        if !head.header(ACCEPT.as_str()).is_some_and(|accepted| accepted.contains(NDJSON)) {
            let body = serde_json::to_vec(&self.0).map_err(Error::internal)?;
            return Ok(response.insert_header((CONTENT_TYPE, "application/json")).body(body));
        }
        let mut lines = Vec::new();
        for entry in &self.0.entries {
            serde_json::to_writer(&mut lines, entry).map_err(Error::internal)?;
            lines.push(b'\n');
        }
        if let Some(cursor) = self.0.meta.next_cursor {
            response.insert_header((NEXT_CURSOR.0, cursor));
        }
        Ok(response.insert_header((CONTENT_TYPE, NDJSON)).body(lines))
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({
            "application/json": { "schema": schemas.answer::<AuditResponse>() },
            NDJSON: { "schema": { "type": "string" } },
        });
        let description = "Success; with `Accept: application/x-ndjson` a line for each entry, and the cursor of the \
                           next page in the header `Next-Cursor`";
        vec![(200, json!({ "description": description, "content": content }))]
    }
}
