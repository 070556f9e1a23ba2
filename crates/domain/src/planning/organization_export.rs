//! The lines around the projects in an organization's export (docs/api.md, section 5).
//!
//! Between the first line and the last one stand the exports of projects, one after the other, each as `project_export`
//! describes it and with an end of its own: any of them can be cut out, and is the file of that project.

use serde::{Deserialize, Serialize};

use crate::content::object::Sha256Hash;
use crate::id::OrganizationId;
use crate::text::{Name, Slug};

/// The format that the first line names.
pub const ORGANIZATION_EXPORT_FORMAT: &str = "atelier-organization";
/// The version of the format. A reader refuses later ones.
pub const ORGANIZATION_EXPORT_VERSION: u32 = 1;

/// The first or the last line of an organization's export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum OrganizationExportLine {
    /// The first line.
    Organization(OrganizationExportHead),
    /// The last line.
    OrganizationEnd(OrganizationExportEnd),
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationExportHead {
    /// [`ORGANIZATION_EXPORT_FORMAT`].
    pub format: String,
    /// [`ORGANIZATION_EXPORT_VERSION`].
    pub version: u32,
    /// The organization.
    pub organization: ExportedOrganization,
}

/// An exported organization.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportedOrganization {
    /// Id.
    pub id: OrganizationId,
    /// Name.
    pub name: Name,
    /// Name in URLs.
    pub slug: Slug,
}

/// The last line. A file without it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationExportEnd {
    /// Number of projects.
    pub projects: u64,
    /// Number of lines before this one.
    pub lines: u64,
    /// Hash of these lines with their line breaks.
    pub sha256: Sha256Hash,
}
