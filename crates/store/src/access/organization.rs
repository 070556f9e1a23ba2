//! Access to an organization, for its members alone.

use std::marker::PhantomData;

use auth::actor::Requirement;
use database::decode;
use database::prelude::*;
use database::schema::organization_members;
use domain::id::{OrganizationId, UserId};
use domain::people::role::OrganizationRole;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::{Parent, Target, decide};

/// An organization in which the caller may do `P`.
#[derive(Debug)]
pub struct Organization<P> {
    /// The organization's id.
    pub id: OrganizationId,
    /// The acting user.
    pub user: UserId,
    /// The acting user's role.
    pub role: OrganizationRole,
    needs: PhantomData<fn() -> P>,
}

impl<P: Requirement> Target<P> for OrganizationId {
    type Witness = Organization<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Organization<P>> {
        let actor = &call.actor;
        let role: Option<String> = organization_members::table
            .find((self.0, actor.user.0))
            .select(organization_members::role)
            .first(connection)
            .await
            .optional()?;
        let within = actor.reaches_organization(*self);
        let role =
            role.filter(|_| within).map(|role| decode::parse::<OrganizationRole>(&role)).transpose()?;
        decide(call, role.map(OrganizationRole::permissions))?;
        let role = role.ok_or_else(Error::not_found)?;
        Ok(Organization { id: *self, user: actor.user, role, needs: PhantomData })
    }
}

impl<P: Requirement> Parent<P> for OrganizationId {
    fn id(&self, _: &Call<P>) -> Result<Uuid> {
        Ok(self.0)
    }
}

/// Refuses a caller with the role `own` who would give or take `role`: admins manage all roles but that of owners.
///
/// # Errors
/// `FORBIDDEN`.
pub(crate) fn require_rank(own: OrganizationRole, role: OrganizationRole) -> Result<()> {
    if own >= OrganizationRole::Admin && own >= role { Ok(()) } else { Err(Error::forbidden()) }
}
