//! Access to the record of an API key, for its user alone.

use auth::actor::BrowserOnly;
use database::prelude::*;
use database::schema::api_keys;
use domain::id::ApiKeyId;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::{Parent, Target};

/// A key of the caller; it may have expired or been revoked.
#[derive(Debug)]
pub struct OwnApiKey {
    /// The key's id.
    pub id: ApiKeyId,
}

impl Target<BrowserOnly> for ApiKeyId {
    type Witness = OwnApiKey;

    async fn resolve(&self, connection: &Connection, call: &Call<BrowserOnly>) -> Result<OwnApiKey> {
        let found: Option<Uuid> = api_keys::table
            .find(self.0)
            .filter(api_keys::user_id.eq(call.actor.user.0))
            .select(api_keys::id)
            .first(connection)
            .await
            .optional()?;
        found.map(|id| OwnApiKey { id: Self(id) }).ok_or_else(Error::not_found)
    }
}

impl Parent<BrowserOnly> for ApiKeyId {
    fn id(&self, _: &Call<BrowserOnly>) -> Result<Uuid> {
        Ok(self.0)
    }
}
