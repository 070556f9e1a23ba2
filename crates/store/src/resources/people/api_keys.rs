//! API keys: creation, list, rotation and revocation. The database has only hashes of keys.

mod actors;

use auth::actor::{BrowserOnly, Confinement};
use auth::api_key::{ApiKey, Mode};
use database::decode;
use database::prelude::*;
use database::schema::api_keys;
use domain::id::{ApiKeyId, OrganizationId, ProjectId, UserId};
use domain::people::api_key::ApiKeyRecord;
use domain::people::permission::Scope;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::api_key::OwnApiKey;
use crate::access::call::Call;
use crate::access::user::{self, User};
use crate::resources::audit;
use crate::resources::limits;
use crate::resources::people::identity::no_such_user;
use crate::resources::store::{Store, Tx};

/// The attributes of a new key.
#[derive(Clone, Debug)]
pub struct NewApiKey {
    /// Live or test; part of the key's text.
    pub mode: Mode,
    /// Shown to the key's owner.
    pub name: Name,
    /// The operations that it permits.
    pub scopes: Vec<Scope>,
    /// End of its life.
    pub expires_at: Timestamp,
    /// The projects and organizations that it is confined to; `None`: not confined.
    pub confinement: Option<Confinement>,
    /// The member who makes the key of a service account; `None` for a user's own key.
    pub created_by: Option<UserId>,
}

/// Creates the record of a key of the caller. Its secret is unknown until [`set_secret`] sets one: recorded outcomes of
/// idempotency keys never hold a secret. A user has at most `limit` keys that can be used.
///
/// # Errors
/// `LIMIT_REACHED`; `UNAVAILABLE`.
pub async fn create(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    call: &Call<BrowserOnly>,
    new: &NewApiKey,
    limit: u32,
) -> Result<ApiKeyRecord> {
    let record = create_for(tx, user.id(), new, call.now, limit).await?;
    audit::record(tx, call, record.id.0).await?;
    Ok(record)
}

/// As [`create`], for any user and without an entry in the audit log.
pub(crate) async fn create_for(
    tx: &mut Tx,
    user: UserId,
    new: &NewApiKey,
    now: Timestamp,
    limit: u32,
) -> Result<ApiKeyRecord> {
    refuse_over(tx, user, now, limit).await?;
    user::require_enabled(tx, user).await?;
    insert(tx, user, new, &ApiKey::generate(new.mode), now).await
}

/// Refuses one more key that can be used.
async fn refuse_over(tx: &mut Tx, user: UserId, now: Timestamp, limit: u32) -> Result<()> {
    let usable = api_keys::table
        .filter(api_keys::user_id.eq(user.0).and(api_keys::revoked_at.is_null()))
        .filter(api_keys::expires_at.gt(now.0));
    let count = async |tx: &mut Tx| -> Result<i64> { Ok(usable.count().get_result(tx).await?) };
    limits::count_and_refuse(tx, ("apiKeys", user.0), limit, count).await
}

/// Sets a new secret for a live key of the caller, in the key's mode. The earlier secret no longer works.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn set_secret(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    record: &ApiKeyRecord,
) -> Result<(ApiKeyRecord, ApiKey)> {
    set_secret_of(tx, user.id(), record).await
}

/// As [`set_secret`], for any user.
pub(crate) async fn set_secret_of(
    tx: &mut Tx,
    user: UserId,
    record: &ApiKeyRecord,
) -> Result<(ApiKeyRecord, ApiKey)> {
    let key = ApiKey::generate(mode(record));
    let live = live_key(user, record.id);
    let row: Option<ApiKeyRow> = diesel::update(live)
        .set((api_keys::key_hash.eq(key.hash().to_vec()), api_keys::mask.eq(key.mask())))
        .returning(ApiKeyRow::as_returning())
        .get_result(tx)
        .await
        .optional()?;
    Ok((row.ok_or_else(Error::not_found)?.record()?, key))
}

/// The caller's keys that are not revoked, newest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    before: Option<ApiKeyId>,
    rows: u32,
) -> Result<Vec<ApiKeyRecord>> {
    list_of(tx, user.id(), before, rows).await
}

/// As [`list`], for any user.
pub(crate) async fn list_of(
    tx: &mut Tx,
    user: UserId,
    before: Option<ApiKeyId>,
    rows: u32,
) -> Result<Vec<ApiKeyRecord>> {
    let before = before.map_or(Uuid::max(), |key| key.0);
    let rows: Vec<ApiKeyRow> = api_keys::table
        .filter(api_keys::user_id.eq(user.0).and(api_keys::revoked_at.is_null()))
        .filter(api_keys::id.lt(before))
        .order(api_keys::id.desc())
        .limit(i64::from(rows))
        .select(ApiKeyRow::as_select())
        .load(tx)
        .await?;
    rows.into_iter().map(ApiKeyRow::record).collect()
}

/// A key of the caller that is not revoked.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn get(tx: &mut Tx, user: &User<BrowserOnly>, id: ApiKeyId) -> Result<ApiKeyRecord> {
    let row: Option<ApiKeyRow> =
        live_key(user.id(), id).select(ApiKeyRow::as_select()).first(tx).await.optional()?;
    row.ok_or_else(Error::not_found)?.record()
}

/// A key of the caller that is not revoked. It stays as it is until the transaction ends.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn hold(tx: &mut Tx, call: &Call<BrowserOnly>, id: ApiKeyId) -> Result<ApiKeyRecord> {
    let key = live_key(call.actor.user, id).select(ApiKeyRow::as_select());
    let row: Option<ApiKeyRow> = key.for_update().first(tx).await.optional()?;
    row.ok_or_else(Error::not_found)?.record()
}

/// Creates the record of a successor of a key. The old key expires at `old_expires_at` or sooner; both work until then. If
/// that is now, the old key is revoked with its grants; else both count. As with [`create`], the successor has no known
/// secret yet.
///
/// # Errors
/// `NOT_FOUND`, `LIMIT_REACHED`.
pub async fn rotate(
    tx: &mut Tx,
    key: &OwnApiKey,
    call: &Call<BrowserOnly>,
    old_expires_at: Timestamp,
    limit: u32,
) -> Result<ApiKeyRecord> {
    let (id, user) = (key.id, call.actor.user);
    let ends_now = old_expires_at <= call.now;
    if !ends_now {
        refuse_over(tx, user, call.now, limit).await?;
    }
    let old: Option<ApiKeyRow> = api_keys::table
        .find(id.0)
        .filter(api_keys::revoked_at.is_null())
        .select(ApiKeyRow::as_select())
        .for_update()
        .first(tx)
        .await
        .optional()?;
    let old = old.ok_or_else(Error::not_found)?.record()?;
    if old.expires_at <= call.now {
        return Err(Error::not_found());
    }
    let new = NewApiKey {
        mode: mode(&old),
        name: old.name.clone(),
        scopes: old.scopes.clone(),
        // The successor has the same length of life.
        expires_at: call.now.plus_seconds(old.expires_at.unix_seconds() - old.created_at.unix_seconds()),
        confinement: confinement(old.project_ids.clone(), old.org_ids.clone()),
        created_by: None,
    };
    diesel::update(api_keys::table.find(id.0))
        .set((
            api_keys::expires_at.eq(old.expires_at.min(old_expires_at).0),
            ends_now.then(|| api_keys::revoked_at.eq(call.now.0)),
        ))
        .execute(tx)
        .await?;
    let record = insert(tx, user, &new, &ApiKey::generate(new.mode), call.now).await?;
    audit::record(tx, call, id.0).await?;
    Ok(record)
}

/// Revokes a key of the caller, and with it its grants.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn revoke(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    call: &Call<BrowserOnly>,
    id: ApiKeyId,
) -> Result<()> {
    revoke_of(tx, user.id(), id, call.now).await?;
    audit::record(tx, call, id.0).await
}

/// As [`revoke`], for any user and without an entry in the audit log.
pub(crate) async fn revoke_of(tx: &mut Tx, user: UserId, id: ApiKeyId, now: Timestamp) -> Result<()> {
    let revoked = diesel::update(live_key(user, id)).set(api_keys::revoked_at.eq(now.0)).execute(tx).await?;
    if revoked == 0 { Err(Error::not_found()) } else { Ok(()) }
}

impl Store {
    /// Issues a key, for an operator.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if the user does not exist.
    pub async fn issue_api_key(
        &self,
        user: UserId,
        new: &NewApiKey,
        key: &ApiKey,
        now: Timestamp,
    ) -> Result<ApiKeyId> {
        self.transaction(async |tx| {
            user::require_enabled(tx, user).await.map_err(|error| error.named_by("user"))?;
            let record = insert(tx, user, new, key, now).await?;
            audit::record_own(tx, now, "api_key.created", record.id.0).await?;
            Ok(record.id)
        })
        .await
    }

    /// Revokes a key, for an operator; `false` if it was not live.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn revoke_api_key(&self, id: ApiKeyId, now: Timestamp) -> Result<bool> {
        self.transaction(async |tx| {
            let revoked = diesel::update(api_keys::table.find(id.0).filter(api_keys::revoked_at.is_null()))
                .set(api_keys::revoked_at.eq(now.0))
                .execute(tx)
                .await?;
            if revoked == 1 {
                audit::record_own(tx, now, "api_key.revoked", id.0).await?;
            }
            Ok(revoked == 1)
        })
        .await
    }
}

fn mode(record: &ApiKeyRecord) -> Mode {
    if record.mask.starts_with(Mode::Test.prefix()) { Mode::Test } else { Mode::Live }
}

/// The confinement to these projects and organizations; `None` if both are absent.
fn confinement(
    projects: Option<Vec<ProjectId>>,
    organizations: Option<Vec<OrganizationId>>,
) -> Option<Confinement> {
    (projects.is_some() || organizations.is_some()).then(|| Confinement {
        projects: projects.unwrap_or_default(),
        organizations: organizations.unwrap_or_default(),
    })
}

fn scopes(columns: &[String]) -> Result<Vec<Scope>> {
    columns.iter().map(|scope| decode::parse(scope)).collect()
}

#[diesel::dsl::auto_type(no_type_alias)]
fn live_key(user: UserId, id: ApiKeyId) -> _ {
    let (id, owner): (Uuid, Uuid) = (id.0, user.0);
    api_keys::table.find(id).filter(api_keys::user_id.eq(owner)).filter(api_keys::revoked_at.is_null())
}

async fn insert(
    tx: &mut Tx,
    user: UserId,
    new: &NewApiKey,
    key: &ApiKey,
    now: Timestamp,
) -> Result<ApiKeyRecord> {
    let projects = new.confinement.as_ref().map(|to| to.projects.iter().map(|id| id.0).collect::<Vec<_>>());
    let organizations =
        new.confinement.as_ref().map(|to| to.organizations.iter().map(|id| id.0).collect::<Vec<_>>());
    let row: ApiKeyRow = diesel::insert_into(api_keys::table)
        .values((
            api_keys::id.eq(ApiKeyId::new(now).0),
            api_keys::user_id.eq(user.0),
            api_keys::name.eq(new.name.as_str()),
            api_keys::key_hash.eq(key.hash().to_vec()),
            api_keys::mask.eq(key.mask()),
            api_keys::scopes.eq(new.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>()),
            api_keys::project_ids.eq(projects),
            api_keys::organization_ids.eq(organizations),
            api_keys::created_at.eq(now.0),
            api_keys::expires_at.eq(new.expires_at.0),
            api_keys::created_by.eq(new.created_by.map(|member| member.0)),
        ))
        .returning(ApiKeyRow::as_returning())
        .get_result(tx)
        .await
        .map_err(no_such_user)?;
    row.record()
}

/// A key's columns, without its hash.
#[derive(Queryable, Selectable)]
#[diesel(table_name = api_keys)]
struct ApiKeyRow {
    id: Uuid,
    name: String,
    mask: String,
    scopes: Vec<String>,
    project_ids: Option<Vec<Uuid>>,
    organization_ids: Option<Vec<Uuid>>,
    created_at: OffsetDateTime,
    created_by: Option<Uuid>,
    expires_at: OffsetDateTime,
    last_used_at: Option<OffsetDateTime>,
}

impl ApiKeyRow {
    fn record(self) -> Result<ApiKeyRecord> {
        Ok(ApiKeyRecord {
            id: ApiKeyId(self.id),
            name: decode::name(&self.name)?,
            mask: self.mask,
            scopes: scopes(&self.scopes)?,
            project_ids: self.project_ids.map(|ids| ids.into_iter().map(ProjectId).collect()),
            org_ids: self.organization_ids.map(|ids| ids.into_iter().map(OrganizationId).collect()),
            created_at: Timestamp::from(self.created_at),
            created_by: self.created_by.map(UserId),
            expires_at: Timestamp::from(self.expires_at),
            last_used_at: self.last_used_at.map(Timestamp::from),
        })
    }
}
