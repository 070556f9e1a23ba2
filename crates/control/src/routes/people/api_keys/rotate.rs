//! Rotate an API key: issue a similar one and let the old one expire.

use api::people::api_keys::{IssuedKey, RotateApiKey};
use auth::actor::BrowserOnly;
use domain::{Error, Result, Rule};
use store::people::api_keys;
use wire::{Request, TaggedCreated};

use crate::app::App;
use crate::routes::people::api_keys::{show_once, state};

/// Maximum remaining lifetime of the old key, in seconds: 30 days.
const GRACE_MAX_SECS: u32 = 30 * 24 * 60 * 60;

/// Issues a key with the same name, scopes and confinement. The old one remains valid for `graceSeconds`; with 0 it is
/// revoked together with its grants.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, RotateApiKey>,
) -> Result<TaggedCreated<IssuedKey>> {
    let call = &request.call;
    let grace = request.body.map(|body| body.0).unwrap_or_default().grace_seconds.unwrap_or_default();
    if grace > GRACE_MAX_SECS {
        return Err(Error::broken("graceSeconds", Rule::Maximum(GRACE_MAX_SECS.into())));
    }
    let (id, expected) = (request.path.key_id, request.head.if_match()?);
    let old_expires_at = call.now.plus_seconds(i64::from(grace));
    let made = app
        .store
        .create(call, &id, async |tx, key| {
            if expected.is_some() {
                let current = api_keys::hold(tx, call, id).await?;
                wire::check_if_match(expected.as_ref(), &state(&current))?;
            }
            api_keys::rotate(tx, key, call, old_expires_at, app.bounds.api_keys_per_user).await
        })
        .await?;
    show_once(&app, call, made).await
}
