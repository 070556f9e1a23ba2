//! Who acts with a key that is presented: asked with every request, and so of a key no more than that.

use auth::actor::{Actor, ActorCredential};
use auth::permission::Permissions;
use domain::id::{ApiKeyId, OrganizationId, ProjectId, UserId};
use domain::time::Timestamp;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{confinement, scopes};
use crate::db::prelude::*;
use crate::db::schema::api_keys;
use crate::resources::store::Store;

/// How often a key's last use is written, in seconds.
const LAST_USED_RESOLUTION_SECS: i64 = 60;

impl Store {
    /// The caller whom a presented key stands for; `None` where the key is unknown, expired or revoked. Asked on
    /// every request: a revocation holds from the next one on.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn find_actor_by_key(&self, hash: &[u8; 32], now: Timestamp) -> Result<Option<Actor>> {
        let statement = api_keys::table
            .filter(api_keys::key_hash.eq(hash.as_slice()))
            .filter(api_keys::revoked_at.is_null().and(api_keys::expires_at.gt(now.0)))
            .select(ActorRow::as_select());
        let row: Option<ActorRow> = statement.first(&self.connection().await?).await.optional()?;
        let Some(row) = row else { return Ok(None) };
        let last_used_at = row.last_used_at.map(Timestamp::from);
        let stale = last_used_at.is_none_or(|used| used.plus_seconds(LAST_USED_RESOLUTION_SECS) <= now);
        if stale {
            self.touch_later(ApiKeyId(row.id), now);
        }
        row.actor().map(Some)
    }

    /// Who acts with a key that can be used at `now`, for what goes on after it was presented.
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

    /// Notes a key's use beside the request, which does not wait for it.
    fn touch_later(&self, id: ApiKeyId, now: Timestamp) {
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
                    "a key's last use could not be noted"
                );
            }
        });
    }
}

/// What of a key says who acts with it: all that a request asks.
#[derive(Queryable, Selectable)]
#[diesel(table_name = api_keys)]
struct ActorRow {
    id: Uuid,
    user_id: Uuid,
    scopes: Vec<String>,
    project_ids: Option<Vec<Uuid>>,
    organization_ids: Option<Vec<Uuid>>,
    last_used_at: Option<OffsetDateTime>,
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
