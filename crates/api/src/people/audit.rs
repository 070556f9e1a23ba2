//! The audit log.

use domain::id::UserId;
use domain::page::{LimitText, PageMeta};
use domain::people::audit::AuditEntry;
use domain::time::DateOrTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Header;
use crate::people::organizations::OrganizationPath;
use crate::{operations, tags};

/// The header with the cursor of the next page of lines.
pub const NEXT_CURSOR: Header = ("Next-Cursor", "The `cursor` of the next page of lines, if there is one.");

operations! {
    tag: tags::ORGANIZATIONS;

    /// Lists who changed what in the organization, its teams and its projects, newest first. Refused attempts are
    /// entries, too. `Accept: application/x-ndjson` answers lines instead, with the next cursor in the header
    /// `Next-Cursor`. Entries are kept for 400 days by default.
    GetOrganizationAudit = Get "/api/v2/orgs/{orgId}/audit" {
        summary: "Read an organization's audit log",
        path: OrganizationPath,
        query: AuditQuery,
        answer: AuditResponse,
        effect: Reads,
        tool: NotATool("the log is for people"),
        also: answers(&[NEXT_CURSOR]),
    }

    tag: tags::PROJECTS;

    /// Lists who changed what in the project, newest first, as the organization's audit log does. It needs a manager of
    /// the project.
    GetProjectAudit = Get "/api/v2/projects/{projectId}/audit" {
        summary: "Read a project's audit log",
        path: ProjectPath,
        query: AuditQuery,
        answer: AuditResponse,
        effect: Reads,
        tool: NotATool("the log is for people"),
        also: answers(&[NEXT_CURSOR]),
    }
}

/// The selection of entries.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AuditQuery {
    /// Only entries of this user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<UserId>,
    /// Only entries of this operation, by its id.
    #[schemars(length(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Only entries with this result: `OK`, or the code of a refusal.
    #[schemars(length(max = 100))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Only entries at or after this time. A date without a time means the beginning of that day in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<DateOrTime>,
    /// Only entries at or before this time. A date without a time means the end of that day in UTC.
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

/// A page of the audit log, newest entries first.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuditResponse {
    /// The entries.
    pub entries: Vec<AuditEntry>,
    /// The page.
    pub meta: PageMeta,
}
