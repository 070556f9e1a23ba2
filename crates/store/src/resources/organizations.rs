//! Organizations: members read them, operators create them.

use auth::actor::Authenticated;
use domain::id::{OrganizationId, UserId};
use domain::organization::OrganizationRecord as Record;
use domain::text::{Name, Slug};
use domain::time::Timestamp;
use domain::{Error, Result, Rule};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::organization::Organization;
use crate::access::user::User;
use crate::db::decode;
use crate::db::prelude::*;
use crate::db::schema::{organization_members, organizations, owners};
use crate::resources::audit;
use crate::resources::identity::{insert_owner, no_such_user};
use crate::resources::store::{Store, Tx};

type OrganizationRow = (Uuid, String, String, String, OffsetDateTime);

/// The organizations of the caller, by name. A confined key sees only its own.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, user: &User<Authenticated>) -> Result<Vec<Record>> {
    let rows = load(tx, user.id(), None).await?;
    rows.into_iter()
        .filter(|row| user.actor.reaches_organization(OrganizationId(row.0)))
        .map(record)
        .collect()
}

/// An organization of the caller, with the caller's role.
///
/// # Errors
/// `NOT_FOUND` if it was deleted meanwhile.
pub async fn get(tx: &mut Tx, organization: &Organization<Authenticated>) -> Result<Record> {
    let rows = load(tx, organization.user, Some(organization.id)).await?;
    rows.into_iter().next().map(record).ok_or_else(Error::not_found)?
}

impl Store {
    /// Creates an organization that `owner` owns, for an operator.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if the slug is taken or the user does not exist.
    pub async fn create_organization(
        &self,
        name: &Name,
        slug: &Slug,
        owner: UserId,
        now: Timestamp,
    ) -> Result<OrganizationId> {
        self.transaction(async |tx| {
            let id = OrganizationId::new(now);
            if !insert_owner(tx, id.0, "organization", slug, now).await? {
                return Err(Error::invalid("slug", Rule::Unique, "belongs to another user or organization"));
            }
            diesel::insert_into(organizations::table)
                .values((
                    organizations::id.eq(id.0),
                    organizations::name.eq(name.as_str()),
                    organizations::created_at.eq(now.0),
                ))
                .execute(tx)
                .await?;
            diesel::insert_into(organization_members::table)
                .values((
                    organization_members::organization_id.eq(id.0),
                    organization_members::user_id.eq(owner.0),
                    organization_members::role.eq("owner"),
                    organization_members::created_at.eq(now.0),
                ))
                .execute(tx)
                .await
                .map_err(no_such_user)?;
            audit::record_own(tx, now, "organization.created", id.0).await?;
            Ok(id)
        })
        .await
    }
}

async fn load(tx: &mut Tx, user: UserId, only: Option<OrganizationId>) -> Result<Vec<OrganizationRow>> {
    let mut query = organizations::table
        .inner_join(owners::table)
        .inner_join(organization_members::table)
        .filter(organization_members::user_id.eq(user.0))
        .order((organizations::name, organizations::id))
        .select((
            organizations::id,
            organizations::name,
            owners::slug,
            organization_members::role,
            organizations::created_at,
        ))
        .into_boxed();
    if let Some(only) = only {
        query = query.filter(organizations::id.eq(only.0));
    }
    query.load(tx).await.map_err(Error::from)
}

fn record((id, name, slug, role, created_at): OrganizationRow) -> Result<Record> {
    Ok(Record {
        id: OrganizationId(id),
        name: decode::name(&name)?,
        slug: decode::slug(&slug)?,
        role,
        created_at: Timestamp::from(created_at),
    })
}
