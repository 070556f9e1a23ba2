//! Actors of presented keys. Every request asks for one, so the queries read few columns.

use auth::actor::{Actor, ActorCredential};
use database::prelude::*;
use database::schema::api_keys;
use domain::id::{ApiKeyId, OrganizationId, ProjectId, UserId};
use domain::people::permission::Permissions;
use domain::time::Timestamp;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{confinement, scopes};
use crate::resources::store::Store;

/// How often a key's last use is written, in seconds.
const LAST_USED_RESOLUTION_SECS: i64 = 60;

impl Store {
    /// The actor of a presented key; `None` if the key is unknown or revoked. Every request asks: a revocation takes
    /// effect with the next one.
    ///
    /// # Errors
    /// `CREDENTIAL_EXPIRED`; `UNAVAILABLE`.
    pub async fn find_actor_by_key(&self, hash: &[u8; 32], now: Timestamp) -> Result<Option<Actor>> {
        let statement = api_keys::table
            .filter(api_keys::key_hash.eq(hash.as_slice()))
            .filter(api_keys::revoked_at.is_null())
            .select(ActorRow::as_select());
        let row: Option<ActorRow> = statement.first(&self.connection().await?).await.optional()?;
        let Some(row) = row else { return Ok(None) };
        if row.expires_at <= now.0 {
            return Err(Error::credential_expired());
        }
        let last_used_at = row.last_used_at.map(Timestamp::from);
        let is_stale = last_used_at.is_none_or(|used| used.plus_seconds(LAST_USED_RESOLUTION_SECS) <= now);
        if is_stale {
            self.record_use_in_background(ApiKeyId(row.id), now);
        }
        row.actor().map(Some)
    }

    /// The actor of a key that is valid at `now`, for work that outlives the request that presented it.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn find_actor_by_key_id(&self, id: ApiKeyId, now: Timestamp) -> Result<Option<Actor>> {
        let statement = api_keys::table
            .find(id.0)
            .filter(api_keys::revoked_at.is_null().and(api_keys::expires_at.gt(now.0)))
            .select(ActorRow::as_select());
        let row: Option<ActorRow> = statement.first(&self.connection().await?).await.optional()?;
        row.map(ActorRow::actor).transpose()
    }

    /// Those of `keys` that are revoked or have expired at `now`.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn find_ended_keys(&self, keys: &[ApiKeyId], now: Timestamp) -> Result<Vec<ApiKeyId>> {
        let ids: Vec<Uuid> = keys.iter().map(|key| key.0).collect();
        let statement = api_keys::table
            .filter(api_keys::id.eq_any(ids))
            .filter(api_keys::revoked_at.is_not_null().or(api_keys::expires_at.le(now.0)))
            .select(api_keys::id);
        let ended: Vec<Uuid> = statement.load(&self.connection().await?).await?;
        Ok(ended.into_iter().map(ApiKeyId).collect())
    }

    /// Records a key's use without delay of the request.
    fn record_use_in_background(&self, id: ApiKeyId, now: Timestamp) {
        let store = self.clone();
        tokio::spawn(async move {
            let Ok(connection) = store.connection().await else {
                return;
            };
            let touched = diesel::update(api_keys::table.find(id.0))
                .set(api_keys::last_used_at.eq(now.0))
                .execute(&connection)
                .await;
            if let Err(error) = touched {
                tracing::warn!(
                    "error.chain" = Error::from(error).chain(),
                    "last use of API key {id} not recorded"
                );
            }
        });
    }
}

/// The columns of a key that make up its actor.
#[derive(Queryable, Selectable)]
#[diesel(table_name = api_keys)]
struct ActorRow {
    id: Uuid,
    user_id: Uuid,
    scopes: Vec<String>,
    project_ids: Option<Vec<Uuid>>,
    organization_ids: Option<Vec<Uuid>>,
    last_used_at: Option<OffsetDateTime>,
    expires_at: OffsetDateTime,
}

impl ActorRow {
    fn actor(self) -> Result<Actor> {
        let projects = self.project_ids.map(|ids| ids.into_iter().map(ProjectId).collect());
        let organizations = self.organization_ids.map(|ids| ids.into_iter().map(OrganizationId).collect());
        Ok(Actor {
            user: UserId(self.user_id),
            credential: ActorCredential::ApiKey(ApiKeyId(self.id)),
            ceiling: Permissions::of_scopes(&scopes(&self.scopes)?),
            confinement: confinement(projects, organizations),
            acting_in: None,
        })
    }
}
