//! The audit log: who changed what in a project or an organization, and who was refused.

pub mod of_organization;
pub mod of_project;

use actix_web::HttpResponse;
use actix_web::http::header::{ACCEPT, CONTENT_TYPE};
use domain::audit::AuditEntry;
use domain::error::Location;
use domain::id::UserId;
use domain::page::{LimitText, PageMeta};
use domain::time::DateOrTime;
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::audit::reading::AuditFilter;
use wire::{Endpoint, HandlerAnswer, Header, RequestHead, Resource, Schemas, get};

use crate::app::App;
use crate::routes::page::PageRequest;

/// The header with the cursor of the next page of lines.
const NEXT_CURSOR: Header = ("Next-Cursor", "The `cursor` of the next page of lines, if there is one.");

/// JSON values in lines.
const NDJSON: &str = "application/x-ndjson";
/// Longest name of an operation or a result, in characters.
const NAME_MAX_CHARS: usize = 100;

/// The endpoints of the audit log.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2").with([
        get(
            "/orgs/{orgId}/audit",
            "getOrganizationAudit",
            "Read an organization's audit log",
            of_organization::handle,
        )
        .answers(&[NEXT_CURSOR])
        .not_a_tool("the log is for people"),
        get(
            "/projects/{projectId}/audit",
            "getProjectAudit",
            "Read a project's audit log",
            of_project::handle,
        )
        .answers(&[NEXT_CURSOR])
        .not_a_tool("the log is for people"),
    ])
}

/// The selection of entries.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only entries of this user.
    actor: Option<UserId>,
    /// Only entries of this operation, by its id.
    #[schemars(length(max = 100))]
    operation: Option<String>,
    /// Only entries with this result: `OK`, or the code of a refusal.
    #[schemars(length(max = 100))]
    result: Option<String>,
    /// Only entries at or after this time. A date without a time means the beginning of that day in UTC.
    from: Option<DateOrTime>,
    /// Only entries at or before this time. A date without a time means the end of that day in UTC.
    to: Option<DateOrTime>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of the audit log, newest entries first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AuditResponse")]
pub struct Answer {
    entries: Vec<AuditEntry>,
    meta: PageMeta,
}

/// The description of a list: its subject and its filters.
type ListFilter = (&'static str, String, Option<UserId>, [Option<String>; 4]);
/// A validated query.
type AuditPage<'a> = (AuditFilter, PageRequest<'a, ListFilter, i64>);

impl Query {
    /// The validated query for the log of `whose`.
    fn page(self, app: &App, whose: String) -> Result<AuditPage<'_>> {
        let Self { actor, operation, result, from, to, limit, cursor } = self;
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

impl Answer {
    /// The page of the entries that were read.
    fn of(page: &PageRequest<'_, ListFilter, i64>, found: Vec<AuditEntry>) -> Result<Self> {
        let (entries, meta) = page.cut(found, |entry| entry.id.parse().unwrap_or_default())?;
        Ok(Self { entries, meta })
    }
}

impl HandlerAnswer for Answer {
    fn into_response(self, head: &RequestHead) -> Result<HttpResponse> {
        let mut response = HttpResponse::Ok();
        response.insert_header(("vary", "Accept"));
        if !head.header(ACCEPT.as_str()).is_some_and(|accepted| accepted.contains(NDJSON)) {
            let body = serde_json::to_vec(&self).map_err(Error::internal)?;
            return Ok(response.insert_header((CONTENT_TYPE, "application/json")).body(body));
        }
        let mut lines = Vec::new();
        for entry in &self.entries {
            serde_json::to_writer(&mut lines, entry).map_err(Error::internal)?;
            lines.push(b'\n');
        }
        if let Some(cursor) = self.meta.next_cursor {
            response.insert_header((NEXT_CURSOR.0, cursor));
        }
        Ok(response.insert_header((CONTENT_TYPE, NDJSON)).body(lines))
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({
            "application/json": { "schema": schemas.answer::<Self>() },
            NDJSON: { "schema": { "type": "string" } },
        });
        let description = "Success; with `Accept: application/x-ndjson` a line for each entry, and the cursor of the \
                           next page in the header `Next-Cursor`";
        vec![(200, json!({ "description": description, "content": content }))]
    }
}
