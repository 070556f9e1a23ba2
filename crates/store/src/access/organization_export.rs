//! Access to the export of an organization, for its admins and owners.

use auth::actor::CardRead;
use database::decode;
use database::prelude::*;
use database::schema::{organization_members, organizations, owners};
use domain::id::OrganizationId;
use domain::people::role::OrganizationRole;
use domain::planning::organization_export::ExportedOrganization;
use domain::{Error, Result};

use crate::access::Target;
use crate::access::call::Call;

/// An organization whose projects are to be exported.
#[derive(Clone, Copy, Debug)]
pub struct OrganizationExportRef(pub OrganizationId);

/// An organization whose admin or owner the caller is.
#[derive(Debug)]
pub struct OrganizationExport {
    /// The organization.
    pub organization: ExportedOrganization,
}

impl Target<CardRead> for OrganizationExportRef {
    type Witness = OrganizationExport;

    async fn resolve(&self, connection: &Connection, call: &Call<CardRead>) -> Result<OrganizationExport> {
        let Self(id) = *self;
        let found: Option<(String, String, String)> = organization_members::table
            .inner_join(organizations::table.inner_join(owners::table))
            .filter(organization_members::organization_id.eq(id.0))
            .filter(organization_members::user_id.eq(call.actor.user.0))
            .select((organization_members::role, organizations::name, owners::slug))
            .first(connection)
            .await
            .optional()?;
        let found = found.filter(|_| call.actor.reaches_organization(id));
        let (role, name, slug) = found.ok_or_else(Error::not_found)?;
        if decode::parse::<OrganizationRole>(&role)? < OrganizationRole::Admin {
            return Err(Error::forbidden());
        }
        let organization =
            ExportedOrganization { id, name: decode::name(&name)?, slug: decode::slug(&slug)? };
        Ok(OrganizationExport { organization })
    }
}
