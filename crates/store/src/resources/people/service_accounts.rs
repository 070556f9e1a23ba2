//! Service accounts: users without a person, owned by an organization. Machines act with their API keys, which reach the
//! organization alone.

use auth::actor::{BrowserProjectManage, Confinement};
use auth::api_key::ApiKey;
use database::prelude::*;
use database::schema::{organization_members, owners, service_accounts, users};
use domain::id::{ApiKeyId, UserId};
use domain::people::api_key::ApiKeyRecord;
use domain::people::member::OrganizationMember;
use domain::people::role::OrganizationRole;
use domain::text::{Name, Slug};
use domain::{Error, Result, Rule};

use crate::access::call::Call;
use crate::access::organization::{Organization, require_rank};
use crate::access::service_account::ServiceAccount;
use crate::resources::audit;
use crate::resources::limits;
use crate::resources::people::api_keys::{self, NewApiKey};
use crate::resources::people::identity::{insert_user, insert_with_free_slug};
use crate::resources::people::members;
use crate::resources::store::Tx;

/// Most service accounts of an organization.
const ACCOUNTS_MAX: u32 = 100;

/// Creates a service account as a member of its organization.
///
/// # Errors
/// `FORBIDDEN`, `LIMIT_REACHED`; `INVALID_REQUEST` for an owner: people own organizations.
pub async fn create(
    tx: &mut Tx,
    organization: &Organization<BrowserProjectManage>,
    call: &Call<BrowserProjectManage>,
    name: &Name,
    role: OrganizationRole,
) -> Result<OrganizationMember> {
    require_rank(members::hold(tx, organization).await?, OrganizationRole::Admin)?;
    if role == OrganizationRole::Owner {
        return Err(Error::invalid("role", Rule::State, "can't be that of a service account"));
    }
    let current: i64 = service_accounts::table
        .inner_join(users::table)
        .filter(service_accounts::organization_id.eq(organization.id.0).and(users::disabled_at.is_null()))
        .count()
        .get_result(tx)
        .await?;
    limits::refuse_over("serviceAccounts", ACCOUNTS_MAX, current)?;
    let id = UserId::new(call.now);
    let slug = Slug::from_text(&format!("service-{id}"), "service");
    insert_with_free_slug(tx, id.0, "user", &slug, call.now).await?;
    // It owns nothing: its keys are confined to the organization.
    diesel::update(owners::table.find(id.0)).set(owners::project_limit.eq(0)).execute(tx).await?;
    // `.invalid` is reserved: the address is nobody's.
    insert_user(tx, id, &format!("{id}@service-accounts.invalid"), name, call.now).await?;
    diesel::insert_into(service_accounts::table)
        .values((
            service_accounts::user_id.eq(id.0),
            service_accounts::organization_id.eq(organization.id.0),
            service_accounts::created_at.eq(call.now.0),
            service_accounts::created_by.eq(call.actor.user.0),
        ))
        .execute(tx)
        .await?;
    diesel::insert_into(organization_members::table)
        .values((
            organization_members::organization_id.eq(organization.id.0),
            organization_members::user_id.eq(id.0),
            organization_members::role.eq(role.as_str()),
            organization_members::created_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    audit::record(tx, call, id.0).await?;
    members::get(tx, organization, id).await
}

/// Creates the record of a key of a service account, confined to the organization. Its secret is unknown until
/// [`set_key_secret`] sets one.
///
/// # Errors
/// `LIMIT_REACHED`; `NOT_FOUND` if the account was removed meanwhile.
pub async fn create_key(
    tx: &mut Tx,
    account: &ServiceAccount,
    call: &Call<BrowserProjectManage>,
    new: &NewApiKey,
    limit: u32,
) -> Result<ApiKeyRecord> {
    // The end of the account's membership waits for this key, and revokes it.
    require_rank(members::hold(tx, &account.organization).await?, account.role)?;
    members::get(tx, &account.organization, account.user).await?;
    let confinement = Confinement { projects: Vec::new(), organizations: vec![account.organization.id] };
    let created_by = Some(call.actor.user);
    let new = NewApiKey { confinement: Some(confinement), created_by, ..new.clone() };
    let record = api_keys::create_for(tx, account.user, &new, call.now, limit).await?;
    audit::record(tx, call, record.id.0).await?;
    Ok(record)
}

/// Sets a new secret for a live key of a service account. The earlier secret no longer works.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn set_key_secret(
    tx: &mut Tx,
    account: &ServiceAccount,
    record: &ApiKeyRecord,
) -> Result<(ApiKeyRecord, ApiKey)> {
    api_keys::set_secret_of(tx, account.user, record).await
}

/// The keys of a service account that are not revoked, newest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list_keys(
    tx: &mut Tx,
    account: &ServiceAccount,
    before: Option<ApiKeyId>,
    rows: u32,
) -> Result<Vec<ApiKeyRecord>> {
    api_keys::list_of(tx, account.user, before, rows).await
}

/// Revokes a key of a service account, and with it its grants.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn revoke_key(
    tx: &mut Tx,
    account: &ServiceAccount,
    call: &Call<BrowserProjectManage>,
    key: ApiKeyId,
) -> Result<()> {
    api_keys::revoke_of(tx, account.user, key, call.now).await?;
    audit::record(tx, call, key.0).await
}
