//! Access to an import, for its author alone: its notes quote a file that others may not see.

use auth::actor::CardRead;
use database::prelude::*;
use database::schema::{imports, organization_members};
use domain::id::{ImportId, OrganizationId, ProjectId};
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;

/// An import as a request names it.
#[derive(Clone, Copy, Debug)]
pub struct ImportRef {
    /// The organization.
    pub organization: OrganizationId,
    /// The import.
    pub import: ImportId,
}

/// An import of the caller.
#[derive(Debug)]
pub struct OwnImport {
    /// The import's id.
    pub id: ImportId,
}

impl Target<CardRead> for ImportRef {
    type Witness = OwnImport;

    async fn resolve(&self, connection: &Connection, call: &Call<CardRead>) -> Result<OwnImport> {
        let actor = &call.actor;
        let found: Option<(Uuid, Uuid)> = imports::table
            .find(self.import.0)
            .filter(imports::organization_id.eq(self.organization.0))
            .filter(imports::user_id.eq(actor.user.0))
            .select((imports::id, imports::project_id))
            .first(connection)
            .await
            .optional()?;
        let reached =
            found.filter(|(_, project)| actor.reaches_project(ProjectId(*project), Some(self.organization)));
        reached.map(|(id, _)| OwnImport { id: ImportId(id) }).ok_or_else(Error::not_found)
    }
}

/// The caller's imports in an organization of which it is a member, or into whose projects it has imported.
#[derive(Clone, Copy, Debug)]
pub struct OwnImportsRef(pub OrganizationId);

/// The caller, as somebody who imports into an organization's projects.
#[derive(Debug)]
pub struct OwnImports {
    /// The organization.
    pub organization: OrganizationId,
}

impl Target<CardRead> for OwnImportsRef {
    type Witness = OwnImports;

    async fn resolve(&self, connection: &Connection, call: &Call<CardRead>) -> Result<OwnImports> {
        let actor = &call.actor;
        let member: Option<Uuid> = organization_members::table
            .find((self.0.0, actor.user.0))
            .select(organization_members::user_id)
            .first(connection)
            .await
            .optional()?;
        let begun: Option<Uuid> = imports::table
            .filter(imports::organization_id.eq(self.0.0).and(imports::user_id.eq(actor.user.0)))
            .select(imports::id)
            .first(connection)
            .await
            .optional()?;
        let known = member.or(begun).filter(|_| actor.reaches_organization(self.0));
        known.map(|_| OwnImports { organization: self.0 }).ok_or_else(Error::not_found)
    }
}
