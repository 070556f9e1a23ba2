//! Access to an owner, to create projects under it: the caller, or one of its organizations.

use auth::actor::ProjectWrite;
use database::decode;
use database::prelude::*;
use database::schema::owners;
use domain::id::{OrganizationId, OwnerId, UserId};
use domain::people::role::{OrganizationRole, ProjectRole};
use domain::text::Slug;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::user::User;

/// An owner under which the caller may create projects. Its row is locked, so that concurrent creations can't exceed
/// its limit or take the same name.
#[derive(Debug)]
pub struct Owner {
    /// The owner's id.
    pub id: OwnerId,
    /// The owner's name in URLs.
    pub slug: Slug,
    /// The acting user's role in the organization; unset for the user's own account.
    pub role: Option<OrganizationRole>,
    /// Limit on its projects, if it differs from the deployment's default.
    pub project_limit: Option<u32>,
    /// The acting user.
    pub user: UserId,
}

impl Owner {
    /// The owner that a creation names: `organization`, or the caller.
    ///
    /// # Errors
    /// `NOT_FOUND`, `FORBIDDEN`.
    pub async fn resolve(
        connection: &Connection,
        call: &Call<ProjectWrite>,
        user: &User<ProjectWrite>,
        organization: Option<OrganizationId>,
    ) -> Result<Self> {
        let id = match organization {
            Some(id) => OwnerId::from(id.resolve(connection, call).await?.id),
            // A confined key reaches projects and organizations, never its user's account.
            None if call.actor.confinement.is_some() => return Err(Error::forbidden()),
            None => OwnerId::from(user.id()),
        };
        let (slug, limit): (String, Option<i32>) = owners::table
            .find(id.0)
            .select((owners::slug, owners::project_limit))
            .for_no_key_update()
            .first(connection)
            .await
            .optional()?
            .ok_or_else(Error::not_found)?;
        // Members leave under the same lock: one who has left meanwhile must not become a project's manager.
        let role = match organization {
            Some(id) => Some(id.resolve(connection, call).await?.role),
            None => None,
        };
        Ok(Self {
            id,
            slug: decode::slug(&slug)?,
            role,
            project_limit: limit.map(u32::try_from).transpose().map_err(Error::internal)?,
            user: user.id(),
        })
    }

    /// `true` if the acting user manages every project of the owner, also a private one.
    pub fn manages_projects(&self) -> bool {
        self.role.is_none_or(|role| role.on_project(false) == Some(ProjectRole::Manager))
    }
}

/// Serialises changes of what a user or an organization has until the transaction ends: members, names of teams, and the
/// creation of projects.
///
/// # Errors
/// `NOT_FOUND` if the owner was deleted.
pub(crate) async fn hold(connection: &Connection, owner: OwnerId) -> Result<()> {
    let held: Option<Uuid> = owners::table
        .find(owner.0)
        .select(owners::id)
        .for_no_key_update()
        .first(connection)
        .await
        .optional()?;
    held.map(drop).ok_or_else(Error::not_found)
}
