//! Keys of service accounts by the member who made them. A maker may have kept a key, which outlives the membership.

use database::decode;
use database::prelude::*;
use database::schema::{api_keys, service_accounts};
use domain::Result;
use domain::id::{ApiKeyId, OrganizationId, UserId};
use domain::people::api_key::MadeKey;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::resources::store::Tx;

/// The usable keys that a member made for service accounts of the organization, oldest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn made_by(
    tx: &mut Tx,
    organization: OrganizationId,
    member: UserId,
    now: Timestamp,
) -> Result<Vec<MadeKey>> {
    let rows: Vec<(Uuid, Uuid, String, String)> = api_keys::table
        .inner_join(service_accounts::table.on(service_accounts::user_id.eq(api_keys::user_id)))
        .filter(service_accounts::organization_id.eq(organization.0))
        .filter(api_keys::created_by.eq(member.0))
        .filter(api_keys::revoked_at.is_null().and(api_keys::expires_at.gt(now.0)))
        .order(api_keys::id)
        .select((api_keys::id, api_keys::user_id, api_keys::name, api_keys::mask))
        .load(tx)
        .await?;
    let made = |(id, user, name, mask): (Uuid, Uuid, String, String)| {
        Ok(MadeKey { user_id: UserId(user), key_id: ApiKeyId(id), name: decode::name(&name)?, mask })
    };
    rows.into_iter().map(made).collect()
}

/// Revokes keys, and with them their grants.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn revoke(tx: &mut Tx, keys: &[MadeKey], now: Timestamp) -> Result<()> {
    let ids: Vec<Uuid> = keys.iter().map(|key| key.key_id.0).collect();
    let usable = api_keys::table.filter(api_keys::id.eq_any(ids).and(api_keys::revoked_at.is_null()));
    diesel::update(usable).set(api_keys::revoked_at.eq(now.0)).execute(tx).await?;
    Ok(())
}
