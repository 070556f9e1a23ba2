//! Organizations: create, list, rename, delete. Their members are in `members`.

use auth::actor::{Authenticated, BrowserOnly, BrowserProjectManage};
use database::decode;
use database::prelude::*;
use database::schema::{organization_members, organizations, owners, projects, service_accounts, teams};
use domain::id::{OrganizationId, UserId};
use domain::people::organization::OrganizationRecord as Record;
use domain::people::role::OrganizationRole;
use domain::text::{Name, Slug};
use domain::time::Timestamp;
use domain::{Code, Error, Result, Rule};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::organization::{Organization, require_rank};
use crate::access::user::User;
use crate::resources::audit;
use crate::resources::kept_addresses::{self, GivenUpAddress};
use crate::resources::limits;
use crate::resources::people::identity::{insert_owner, insert_with_free_slug, no_such_user};
use crate::resources::people::members;
use crate::resources::people::membership::{self, Group};
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
    find(tx, organization.user, organization.id).await
}

/// The slug of a name without a letter or digit for URLs.
const SLUG_FALLBACK: &str = "organization";

/// Creates an organization that the caller owns. A user who owns `limit` organizations creates no other.
///
/// # Errors
/// `LIMIT_REACHED`.
pub async fn create(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    call: &Call<BrowserOnly>,
    name: &Name,
    limit: u32,
) -> Result<Record> {
    let owned = organization_members::table
        .filter(organization_members::user_id.eq(user.id().0))
        .filter(organization_members::role.eq(OrganizationRole::Owner.as_str()));
    let count = async |tx: &mut Tx| -> Result<i64> { Ok(owned.count().get_result(tx).await?) };
    limits::count_and_refuse(tx, ("organizations", user.id().0), limit, count).await?;
    let id = OrganizationId::new(call.now);
    let base = Slug::from_text(name.as_str(), SLUG_FALLBACK);
    let slug = insert_with_free_slug(tx, id.0, "organization", &base, call.now).await?;
    insert(tx, id, name, user.id(), call.now).await?;
    audit::record_in(tx, call, id, id.0).await?;
    let role = OrganizationRole::Owner.as_str().to_owned();
    Ok(Record { id, name: name.clone(), slug, role, created_at: call.now })
}

/// Renames an organization. Its slug stays. `condition` is checked on the locked record.
///
/// # Errors
/// `NOT_FOUND`, `FORBIDDEN`; those of `condition`.
pub async fn rename(
    tx: &mut Tx,
    organization: &Organization<BrowserProjectManage>,
    call: &Call<BrowserProjectManage>,
    name: &Name,
    condition: impl FnOnce(&Record) -> Result<()>,
) -> Result<Record> {
    require_rank(members::hold(tx, organization).await?, OrganizationRole::Admin)?;
    let before = find(tx, organization.user, organization.id).await?;
    condition(&before)?;
    diesel::update(organizations::table.find(organization.id.0))
        .set(organizations::name.eq(name.as_str()))
        .execute(tx)
        .await?;
    audit::record(tx, call, organization.id.0).await?;
    Ok(Record { name: name.clone(), ..before })
}

/// Deletes an organization that has neither projects nor teams, with its memberships, invitations and service accounts. Only
/// its owners do. `condition` is checked on the locked record.
///
/// # Errors
/// `NOT_FOUND`, `FORBIDDEN`, `ORGANIZATION_NOT_EMPTY`; those of `condition`.
pub async fn delete(
    tx: &mut Tx,
    organization: &Organization<BrowserProjectManage>,
    call: &Call<BrowserProjectManage>,
    condition: impl FnOnce(&Record) -> Result<()>,
) -> Result<()> {
    let id = organization.id;
    require_rank(members::hold(tx, organization).await?, OrganizationRole::Owner)?;
    let record = find(tx, organization.user, id).await?;
    condition(&record)?;
    // Projects and teams are created under the lock that this transaction holds.
    let of_projects: i64 = projects::table.filter(projects::owner_id.eq(id.0)).count().get_result(tx).await?;
    let of_teams: i64 = teams::table.filter(teams::organization_id.eq(id.0)).count().get_result(tx).await?;
    if of_projects + of_teams > 0 {
        let message = "The organization has projects or teams. Delete or transfer them first.";
        return Err(Error::new(Code::OrganizationNotEmpty, message)
            .with_details(json!({ "projects": of_projects, "teams": of_teams })));
    }
    // The entry names the organization, so it comes first.
    audit::record(tx, call, id.0).await?;
    let services: Vec<Uuid> = service_accounts::table
        .filter(service_accounts::organization_id.eq(id.0))
        .select(service_accounts::user_id)
        .load(tx)
        .await?;
    for service in services {
        membership::end(tx, UserId(service), Group::Organization(id), Some(&call.actor), call.now).await?;
    }
    let slug = &record.slug;
    kept_addresses::keep(tx, GivenUpAddress { owner: slug, project: None, moved: None }, call.now).await?;
    diesel::delete(owners::table.find(id.0)).execute(tx).await?;
    Ok(())
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
            insert(tx, id, name, owner, now).await?;
            audit::record_own(tx, now, "organization.created", id.0).await?;
            Ok(id)
        })
        .await
    }
}

/// Inserts an organization beside its owner row, with its first owner.
async fn insert(tx: &mut Tx, id: OrganizationId, name: &Name, owner: UserId, now: Timestamp) -> Result<()> {
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
            organization_members::role.eq(OrganizationRole::Owner.as_str()),
            organization_members::created_at.eq(now.0),
        ))
        .execute(tx)
        .await
        .map(drop)
        .map_err(no_such_user)
}

/// An organization with the role of a member.
///
/// # Errors
/// `NOT_FOUND` if the user is no member.
pub(crate) async fn find(tx: &mut Tx, user: UserId, organization: OrganizationId) -> Result<Record> {
    let rows = load(tx, user, Some(organization)).await?;
    rows.into_iter().next().map(record).ok_or_else(Error::not_found)?
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
