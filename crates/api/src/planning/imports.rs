//! Imports of cards from the exports of other planning tools, and the exports of projects and organizations.

use domain::id::{ImportId, OrganizationId};
use domain::page::{LimitText, PageMeta};
use domain::planning::import::{ImportNote, ImportRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Raw;
use crate::page::PageQuery;
use crate::people::organizations::OrganizationPath;
use crate::{operations, tags};

operations! {
    tag: tags::IMPORTS;

    /// Lists the caller's imports in an organization, the newest first.
    ListImports = Get "/api/v2/orgs/{orgId}/imports" {
        summary: "List imports",
        path: OrganizationPath,
        query: PageQuery,
        answer: ListImportsResponse,
        effect: Reads,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Makes cards of the issues in a form's file: an export of another tool or of `exportProject`, which also brings
    /// boards, or a table. Try it with `dryRun` first. The cards follow the answer; `listImportNotes` tells what they can't take. An issue that
    /// has a card is left alone. A project of another owner is 404.
    CreateImport = Post "/api/v2/orgs/{orgId}/imports" {
        summary: "Import cards from another tool",
        path: OrganizationPath,
        body: Raw,
        answer: ImportResponse,
        effect: Creates,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Answers how far an import of the caller is.
    GetImport = Get "/api/v2/orgs/{orgId}/imports/{importId}" {
        summary: "Read an import",
        path: ImportPath,
        answer: ImportResponse,
        effect: Reads,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Lists every value of the file that a card doesn't have as it is.
    ListImportNotes = Get "/api/v2/orgs/{orgId}/imports/{importId}/notes" {
        summary: "List what an import changed or left out",
        path: ImportPath,
        query: ListImportNotesQuery,
        answer: ListImportNotesResponse,
        effect: Reads,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Answers the exports of all projects of an organization that the caller can read, one after the other, between a
    /// line `organization` and a line `organizationEnd`. It needs an admin of the organization.
    ExportOrganization = Get "/api/v2/orgs/{orgId}/export.ndjson" {
        summary: "Export an organization",
        path: OrganizationPath,
        answer: Raw,
        effect: Reads,
        tool: NotATool("tools read cards as JSON"),
    }

    /// Answers a project's cards with comments, history, fields, tags and boards as NDJSON: an object with its `kind` on
    /// each line, `end` on the last. `createImport` takes it.
    ExportProject = Get "/api/v2/projects/{projectId}/export.ndjson" {
        summary: "Export a project",
        path: ProjectPath,
        answer: Raw,
        effect: Reads,
        tool: NotATool("tools read cards as JSON"),
    }
}

/// Why no agent imports.
const FOR_PEOPLE: &str = "brings a file of a person";

/// The path of an import.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportPath {
    /// The organization.
    pub org_id: OrganizationId,
    /// The import.
    pub import_id: ImportId,
}

/// A page of imports.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListImportsResponse {
    /// The imports.
    pub imports: Vec<ImportRecord>,
    /// The page.
    pub meta: PageMeta,
}

/// One import.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImportResponse {
    /// The import.
    pub import: ImportRecord,
}

/// The page of notes.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListImportNotesQuery {
    /// Only notes after this number, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u32>,
    /// Most notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
}

/// A page of notes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListImportNotesResponse {
    /// The notes.
    pub notes: Vec<ImportNote>,
    /// `after` of the next page; null after the last note.
    pub next_after: Option<u32>,
}
